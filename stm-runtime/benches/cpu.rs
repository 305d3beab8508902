//! Measures the CPU engine beside what a programmer would write by hand, on the same transfers, in turns in one program:
//! `cargo bench -p stm-runtime --bench cpu -- [accounts] [transactions] [threads] [runs] [--check]`.
//!
//! By hand are a plain loop of one core over the columns, and spin locks taken in the order of the accounts, with prefetching.

#[path = "../tests/support/mod.rs"]
mod support;

use std::hint::{black_box, spin_loop};
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use stm_runtime::prelude::*;
use support::Random;
use support::waiting::transfer;

/// Transfers that are prefetched together by hand.
const AHEAD: usize = 8;
/// The initial balance: no transfer waits.
const START: i64 = 1_000_000;

/// The columns of the batch.
struct Columns {
    accounts: usize,
    from: Vec<u32>,
    to: Vec<u32>,
    amount: Vec<i64>,
}

impl Columns {
    fn new(accounts: usize, transactions: usize) -> Columns {
        let mut random = Random::new(1);
        let (mut from, mut to) = (Vec::new(), Vec::new());
        for _ in 0..transactions {
            let (first, second) = (random.below(accounts as u32), random.below(accounts as u32));
            from.push(first);
            to.push(if first == second { (second + 1) % accounts as u32 } else { second });
        }
        let amount = (0..transactions).map(|_| i64::from(random.below(100))).collect();
        Columns { accounts, from, to, amount }
    }

    fn plain_loop(&self) -> Duration {
        let mut balances = black_box(vec![START; self.accounts]);
        let start = Instant::now();
        for ((from, to), amount) in self.from.iter().zip(&self.to).zip(&self.amount) {
            if balances[*from as usize] >= *amount {
                balances[*from as usize] -= amount;
                balances[*to as usize] += amount;
            }
        }
        let time = start.elapsed();
        assert_eq!(black_box(balances).iter().sum::<i64>(), START * self.accounts as i64);
        time
    }

    fn spin_locks(&self, threads: usize) -> Duration {
        let accounts: Vec<Account> = (0..self.accounts).map(|_| Account::default()).collect();
        let share = self.from.len().div_ceil(threads);
        let start = Instant::now();
        thread::scope(|scope| {
            for first in (0..self.from.len()).step_by(share) {
                let accounts = &accounts;
                scope.spawn(move || self.transfer_share(accounts, first..self.from.len().min(first + share)));
            }
        });
        let time = start.elapsed();
        assert_eq!(accounts.iter().map(|account| account.balance.load(Ordering::Relaxed)).sum::<i64>(), 0);
        time
    }

    fn transfer_share(&self, accounts: &[Account], share: std::ops::Range<usize>) {
        for group in share.clone().step_by(AHEAD) {
            let group = group..share.end.min(group + AHEAD);
            for at in group.clone() {
                black_box(accounts[self.from[at] as usize].balance.load(Ordering::Relaxed));
                black_box(accounts[self.to[at] as usize].balance.load(Ordering::Relaxed));
            }
            for at in group {
                let (from, to) = (self.from[at] as usize, self.to[at] as usize);
                let (first, second) = (&accounts[from.min(to)], &accounts[from.max(to)]);
                first.lock();
                second.lock();
                let amount = self.amount[at];
                let (from, to) = (&accounts[from].balance, &accounts[to].balance);
                if from.load(Ordering::Relaxed) + START >= amount {
                    from.store(from.load(Ordering::Relaxed) - amount, Ordering::Relaxed);
                    to.store(to.load(Ordering::Relaxed) + amount, Ordering::Relaxed);
                }
                second.is_locked.store(false, Ordering::Release);
                first.is_locked.store(false, Ordering::Release);
            }
        }
    }
}

/// An account with its lock, for the spin locks by hand. The balance is the difference to the initial one.
#[derive(Default)]
#[repr(align(16))]
struct Account {
    is_locked: AtomicBool,
    balance: AtomicI64,
}

impl Account {
    fn lock(&self) {
        while self.is_locked.swap(true, Ordering::Acquire) {
            spin_loop();
        }
    }
}

/// A batch of the transfers on a device.
struct Prepared {
    balances: Shared<i64>,
    batch: Batch<'static>,
}

impl Prepared {
    fn new(device: &Device, columns: &Columns) -> Result<Prepared, Error> {
        let balances = device.shared(&vec![START; columns.accounts])?;
        let mut batch = device.batch();
        for ((from, to), amount) in columns.from.iter().zip(&columns.to).zip(&columns.amount) {
            batch.push(transfer::call(&balances, *from, *to, *amount));
        }
        Ok(Prepared { balances, batch })
    }

    fn run(&self, options: &RunOptions) -> Result<Duration, Error> {
        let report = self.batch.run_with(options)?;
        assert_eq!((report.committed, report.serializable() != Some(false)), (report.transactions, true), "{report}");
        assert_eq!(self.balances.to_vec()?.iter().sum::<i64>(), START * self.balances.len() as i64);
        Ok(report.times.kernel)
    }
}

fn main() -> Result<(), Error> {
    let numbers: Vec<usize> = std::env::args().filter_map(|arg| arg.parse().ok()).collect();
    let number = |at: usize, default| numbers.get(at).copied().unwrap_or(default);
    let (accounts, transactions, threads) = (number(0, 1_000_000), number(1, 4_000_000), number(2, 1));
    let options = RunOptions::new().check(std::env::args().any(|arg| arg == "--check"));
    let columns = Columns::new(accounts, transactions);
    let start = Instant::now();
    let engine = Prepared::new(&Device::cpu(threads), &columns)?;
    let push = start.elapsed().as_secs_f64() * 1e9 / transactions as f64;
    let serial = Prepared::new(&Device::cpu(1).with_engine("serial")?, &columns)?;
    println!(
        "{transactions} transfers on {accounts} accounts, {threads} threads; push: {push:.1} ns each. Millions a second:"
    );
    println!("{:>12} {:>12} {:>12} {:>12}", "plain loop", "serial", "spin locks", "engine");
    for _ in 0..number(3, 7) {
        let rate = |time: Duration| transactions as f64 / time.as_secs_f64() / 1e6;
        let (plain, locks) = (rate(columns.plain_loop()), rate(columns.spin_locks(threads)));
        let (serial, engine) = (rate(serial.run(&options)?), rate(engine.run(&options)?));
        println!("{plain:>12.1} {serial:>12.1} {locks:>12.1} {engine:>12.1}");
    }
    Ok(())
}
