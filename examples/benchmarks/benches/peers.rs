//! Compares the CPU engine with other STMs for Rust, and the kit with a program without it: the same transfers, in turn.
//!
//! `cargo bench -p benchmarks --bench peers -- --help`

use std::ffi::OsString;
use std::io::{Write, stdout};
use std::process::ExitCode;
use std::thread;
use std::time::{Duration, Instant};

use benchmarks::{ALL, Transfers};
use clap::Parser;
use comfy_table::presets::UTF8_FULL_CONDENSED;
use comfy_table::{CellAlignment, Table as Lines};
use examples::{ending, grouped, help_or_refuse, millions};
use stm_bench::{Benchmark, Rng, RngExt, SeedableRng, Spread, generate};
use stm_runtime::prelude::*;

/// The same transfers through the CPU engine and through the crates `stm` and `fast-stm`, in turn in one program.
#[derive(Debug, Parser)]
struct Asked {
    /// Accounts
    #[arg(long, default_value_t = 100_000, value_parser = clap::value_parser!(u32).range(1..))]
    accounts: u32,
    /// Transfers
    #[arg(long, default_value_t = 1_000_000)]
    transactions: u64,
    /// Threads
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..))]
    threads: u32,
    /// Runs of each
    #[arg(long, default_value_t = 7, value_parser = clap::value_parser!(u32).range(1..))]
    runs: u32,
    /// What cargo adds
    #[arg(long, hide = true)]
    bench: bool,
}

/// The initial balance, high enough that no transfer waits: the peers would wait for ever.
const START: i64 = 1_000_000_000;
/// The largest amount.
const MOST: i64 = 100;
const SEED: u64 = 1;

/// Moves money like `Transfers`, for the program without the kit.
#[gpu_transaction]
fn transfer(tx: &mut Tx, accounts: &Shared<i64>, from: u32, to: u32, amount: i64) -> TxResult {
    let balance = tx.read(accounts, from)?;
    tx.guard(balance >= amount)?;
    tx.write(accounts, from, balance - amount)?;
    let target = tx.read(accounts, to)?;
    tx.write(accounts, to, target + amount)
}

/// The times of one run: making state and batch, and the transfers alone.
struct Run {
    before: Duration,
    transfers: Duration,
}

impl Run {
    fn rate(&self, asked: &Asked) -> f64 {
        asked.transactions as f64 / self.transfers.as_secs_f64()
    }
}

type Transaction = <Transfers as Benchmark>::Transaction;

/// Runs the transfers with the kit, which reports the times.
fn kit(asked: &Asked) -> Run {
    let Asked { accounts, transactions, threads, .. } = asked;
    let words = format!(
        "bench run transfers --json --runs 1 --warmup 0 --device cpu:{threads} --seed {SEED} --transactions {transactions} \
         --accounts {accounts} --start {START} --most {MOST}"
    );
    let mut out = Vec::new();
    assert_eq!(stm_bench::run_as(ALL, words.split_whitespace().map(OsString::from), &mut out), 0);
    let object: serde_json::Value = serde_json::from_slice(&out).expect("the kit prints JSON");
    let (cell, run) = (&object["cells"][0], &object["cells"][0]["runs"][0]);
    let seconds = |number: &serde_json::Value| Duration::from_secs_f64(number.as_f64().expect("a time"));
    assert_eq!(run["committed"], *transactions);
    Run {
        before: seconds(&cell["generate"]) + seconds(&run["setup"]) + seconds(&run["fill"]),
        transfers: seconds(&run["kernel"]),
    }
}

/// Runs the transfers in a program that fills its batch itself.
fn by_hand(asked: &Asked) -> Run {
    let start = Instant::now();
    let device = Device::cpu(asked.threads as usize);
    let accounts = device.shared(&vec![START; asked.accounts as usize]).expect("memory for the accounts");
    let mut batch = device.batch();
    let mut rng = Rng::seed_from_u64(SEED);
    for _ in 0..asked.transactions {
        let mut account = || rng.random_range(0..asked.accounts);
        let (from, to) = (account(), account());
        batch.push(transfer::call(&accounts, from, to, rng.random_range(1..=MOST)));
    }
    let before = start.elapsed();
    let report = batch.run().expect("a run");
    assert_eq!(report.committed, asked.transactions);
    Run { before, transfers: report.times.kernel }
}

/// The accounts of another STM.
trait Peer: Sync + Sized {
    fn open(accounts: u32) -> Self;
    fn transfer(&self, transaction: &Transaction);
    fn total(&self) -> i64;
}

macro_rules! peer {
    ($name:ident, $stm:ident) => {
        struct $name(Vec<$stm::TVar<i64>>);

        impl Peer for $name {
            fn open(accounts: u32) -> $name {
                $name((0..accounts).map(|_| $stm::TVar::new(START)).collect())
            }

            fn transfer(&self, transaction: &Transaction) {
                let (from, to) = (&self.0[transaction.from as usize], &self.0[transaction.to as usize]);
                $stm::atomically(|tx| {
                    let balance = from.read(tx)?;
                    $stm::guard(balance >= transaction.amount)?;
                    from.write(tx, balance - transaction.amount)?;
                    let target = to.read(tx)?;
                    to.write(tx, target + transaction.amount)
                });
            }

            fn total(&self) -> i64 {
                self.0.iter().map($stm::TVar::read_atomic).sum()
            }
        }
    };
}

peer!(Stm, stm);
peer!(FastStm, fast_stm);

/// Runs the transfers on a peer: each thread runs its share, one after the other.
fn peer<P: Peer>(asked: &Asked) -> Run {
    let start = Instant::now();
    let benchmark = Transfers { accounts: asked.accounts, start: START, most: MOST, far: 100 };
    let (transactions, accounts) = (generate(&benchmark, asked.transactions, SEED), P::open(asked.accounts));
    let before = start.elapsed();
    let start = Instant::now();
    thread::scope(|scope| {
        for share in transactions.chunks(transactions.len().div_ceil(asked.threads as usize).max(1)) {
            let accounts = &accounts;
            scope.spawn(move || share.iter().for_each(|transaction| accounts.transfer(transaction)));
        }
    });
    let transfers = start.elapsed();
    assert_eq!(accounts.total(), START * i64::from(asked.accounts), "money is lost or made");
    Run { before, transfers }
}

fn main() -> ExitCode {
    match Asked::try_parse() {
        Ok(asked) => ending("peers", contest(&asked)),
        Err(instead) => help_or_refuse("peers", &instead),
    }
}

fn contest(asked: &Asked) -> Result<(), Box<dyn std::error::Error>> {
    type Contestant = (&'static str, fn(&Asked) -> Run);
    let contestants: [Contestant; 4] = [
        ("cpu-occ, by the kit", kit),
        ("cpu-occ, by hand", by_hand),
        ("fast-stm", peer::<FastStm>),
        ("stm", peer::<Stm>),
    ];
    // The first round warms up.
    let rounds: Vec<Vec<Run>> =
        (0..=asked.runs).map(|_| contestants.iter().map(|(_, run)| run(asked)).collect()).collect();
    let rounds = &rounds[1..];
    let of = |number: &dyn Fn(&Vec<Run>) -> f64| {
        Spread::of(&rounds.iter().map(number).collect::<Vec<_>>()).expect("there is a run")
    };
    let mut lines = Lines::new();
    lines.load_style(UTF8_FULL_CONDENSED);
    lines.set_header(["", "M commits/s", "slowest - fastest", "ratio", "least - most", "made before, ms"]);
    for (at, (name, _)) in contestants.iter().enumerate() {
        let rate = of(&|round| round[at].rate(asked));
        let ratio = of(&|round| round[at].rate(asked) / round[0].rate(asked));
        let before = of(&|round| 1e3 * round[at].before.as_secs_f64());
        lines.add_row([
            (*name).to_owned(),
            millions(rate.median),
            format!("{} - {}", millions(rate.min), millions(rate.max)),
            format!("{:.2}", ratio.median),
            format!("{:.2} - {:.2}", ratio.min, ratio.max),
            format!("{:.0} ({:.0} - {:.0})", before.median, before.min, before.max),
        ]);
    }
    for column in lines.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    let (transactions, accounts) = (grouped(asked.transactions), grouped(asked.accounts));
    writeln!(
        stdout(),
        "{transactions} transfers between {accounts} accounts on {} threads, median of {} runs in turn",
        asked.threads,
        asked.runs
    )?;
    writeln!(stdout(), "{lines}")?;
    Ok(())
}
