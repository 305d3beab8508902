//! Measures the CPU engine on classes of work, most of all on guards that wait:
//! `cargo bench -p stm-runtime --bench waiting -- [class] [transactions] [threads] [runs] [--engine=name]
//! [--pushed]`; without a class, all of them. `--pushed` asks for the outcome of push order.

#[path = "../tests/support/mod.rs"]
mod support;

use stm_runtime::Order;
use stm_runtime::prelude::*;
use support::Random;
use support::waiting::{hand_on, put, shuffled, take, take_turn, transfer};

/// Adds up all accounts.
#[gpu_transaction(max_accesses = 6000)]
fn scan(tx: &mut Tx, accounts: &Shared<i64>) -> TxResult<i64> {
    let mut sum = 0;
    for at in 0..accounts.len() {
        sum += tx.read(accounts, at)?;
    }
    Ok(sum)
}

#[gpu_transaction]
fn give(tx: &mut Tx, tokens: &Shared<u32>) -> TxResult {
    tx.update(tokens, 0, |n| n + 1)
}

#[gpu_transaction]
fn acquire(tx: &mut Tx, tokens: &Shared<u32>) -> TxResult {
    let n = tx.read(tokens, 0)?;
    tx.guard(n > 0)?;
    tx.write(tokens, 0, n - 1)
}

/// Does work of its own, once the gate is open.
#[gpu_transaction]
fn behind_gate(tx: &mut Tx, gate: &Shared<bool>, own: &Shared<u32>, at: u32) -> TxResult {
    tx.guard(tx.read(gate, 0)?)?;
    tx.update(own, at, |n| n + 1)
}

#[gpu_transaction]
fn open(tx: &mut Tx, gate: &Shared<bool>) -> TxResult {
    tx.write(gate, 0, true)
}

/// Returns the options of the command line.
fn options() -> RunOptions {
    let is_pushed = std::env::args().any(|arg| arg == "--pushed");
    RunOptions::new().order(if is_pushed { Order::Pushed } else { Order::Any })
}

/// Runs a class `runs` times on fresh arrays, and prints the best and the worst time.
fn measure(name: &str, runs: usize, mut run: impl FnMut() -> Result<Report, Error>) -> Result<(), Error> {
    let mut times = Vec::new();
    let mut last = None;
    for _ in 0..runs {
        let report = run()?;
        times.push(report.times.kernel);
        last = Some(report);
    }
    times.sort();
    let report = last.expect("at least one run");
    println!(
        "{name:<22} {:>9.2} ms median, {:>9.2} best, {:>8.3} M/s ({} of {}, conflicts {}, postponed {}, passes {})",
        1e3 * times[runs / 2].as_secs_f64(),
        1e3 * times[0].as_secs_f64(),
        report.committed as f64 / times[runs / 2].as_secs_f64() / 1e6,
        report.committed,
        report.transactions,
        report.conflicts.total(),
        report.postponements,
        report.passes,
    );
    Ok(())
}

fn transfers(device: &Device, accounts: u32, n: u32) -> Result<Report, Error> {
    let balances = device.shared(&vec![1_000_000_i64; accounts as usize])?;
    let (mut batch, mut random) = (device.batch(), Random::new(1));
    for _ in 0..n {
        let from = random.below(accounts);
        batch.push(transfer::call(&balances, from, (from + 1 + random.below(accounts - 1)) % accounts, 7));
    }
    batch.run_with(&options())
}

fn scans(device: &Device, n: u32) -> Result<Report, Error> {
    let balances = device.shared(&[1000_i64; 6000])?;
    let (mut batch, mut random) = (device.batch(), Random::new(1));
    for transaction in 0..n {
        match transaction % 10 {
            0 => _ = batch.push(transfer::call(&balances, random.below(6000), random.below(6000), 1)),
            _ => _ = batch.push(scan::call(&balances)),
        }
    }
    batch.run_with(&options())
}

fn ring(device: &Device, n: u32, order: &str) -> Result<Report, Error> {
    let (ends, places) = (device.shared(&[0_u64; 2])?, device.shared(&[0_u64; 64])?);
    let mut batch = device.batch();
    for transaction in 0..n {
        let puts = match order {
            "alternate" => transaction % 2 == 0,
            "puts first" => transaction < n / 2,
            _ => transaction >= n / 2,
        };
        if puts { _ = batch.push(put::call(&ends, &places, 1)) } else { _ = batch.push(take::call(&ends, &places)) }
    }
    batch.run_with(&options())
}

fn chain(device: &Device, order: &[u32]) -> Result<Report, Error> {
    let mut here = vec![0_u32; order.len() + 1];
    here[0] = 1;
    let batons = device.shared(&here)?;
    let mut batch = device.batch();
    order.iter().for_each(|from| _ = batch.push(hand_on::call(&batons, *from)));
    batch.run_with(&options())
}

fn turns(device: &Device, order: &[u32]) -> Result<Report, Error> {
    let counter = device.shared(&[0_u32])?;
    let mut batch = device.batch();
    order.iter().for_each(|number| _ = batch.push(take_turn::call(&counter, *number)));
    batch.run_with(&options())
}

fn tokens(device: &Device, n: u32) -> Result<Report, Error> {
    let tokens = device.shared(&[0_u32])?;
    let mut batch = device.batch();
    (0..n / 2).for_each(|_| _ = batch.push(acquire::call(&tokens)));
    (0..n / 2).for_each(|_| _ = batch.push(give::call(&tokens)));
    batch.run_with(&options())
}

fn gate(device: &Device, n: u32) -> Result<Report, Error> {
    let (gate, own) = (device.shared(&[false])?, device.shared(&vec![0_u32; n as usize])?);
    let mut batch = device.batch();
    (0..n).for_each(|at| _ = batch.push(behind_gate::call(&gate, &own, at)));
    batch.push(open::call(&gate));
    batch.run_with(&options())
}

fn main() -> Result<(), Error> {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|arg| !arg.starts_with("--")).collect();
    let class = arguments.iter().find(|arg| arg.parse::<u32>().is_err()).cloned();
    let numbers: Vec<u32> = arguments.iter().filter_map(|arg| arg.parse().ok()).collect();
    let number = |at: usize, usual: u32| numbers.get(at).copied().unwrap_or(usual);
    let mut device = Device::cpu(number(1, 0) as usize);
    if let Some(engine) = std::env::args().find_map(|arg| arg.strip_prefix("--engine=").map(str::to_owned)) {
        device = device.with_engine(engine.as_str())?;
    }
    let runs = number(2, 3) as usize;
    let size = |usual| number(0, usual);
    let wanted = |name: &str| class.as_ref().is_none_or(|class| name.starts_with(class.as_str()));
    let reversed = |n: u32| (0..n).rev().collect::<Vec<_>>();
    let ascending = |n: u32| (0..n).collect::<Vec<_>>();
    type Case<'a> = (&'a str, u32, &'a dyn Fn(&Device, u32) -> Result<Report, Error>);
    let cases: [Case<'_>; 16] = [
        ("transfers-1M", 2_000_000, &|d, n| transfers(d, 1_000_000, n)),
        ("transfers-1k", 2_000_000, &|d, n| transfers(d, 1000, n)),
        ("transfers-16", 1_000_000, &|d, n| transfers(d, 16, n)),
        ("scans", 5_000, &scans),
        ("ring-alternate", 1_000_000, &|d, n| ring(d, n, "alternate")),
        ("ring-puts-first", 20_000, &|d, n| ring(d, n, "puts first")),
        ("ring-takes-first", 20_000, &|d, n| ring(d, n, "takes first")),
        ("chain-ascending", 20_000, &|d, n| chain(d, &ascending(n))),
        ("chain-reversed", 20_000, &|d, n| chain(d, &reversed(n))),
        ("chain-shuffled", 20_000, &|d, n| chain(d, &shuffled(n))),
        ("turns-ascending", 20_000, &|d, n| turns(d, &ascending(n))),
        ("turns-reversed", 20_000, &|d, n| turns(d, &reversed(n))),
        ("turns-shuffled", 20_000, &|d, n| turns(d, &shuffled(n))),
        ("tokens", 20_000, &tokens),
        ("gate", 200_000, &gate),
        ("gate-large", 2_000_000, &gate),
    ];
    for (name, usual, run) in cases.iter().filter(|(name, ..)| wanted(name)) {
        let n = size(*usual);
        measure(&format!("{name} {n}"), runs, || run(&device, n))?;
    }
    Ok(())
}
