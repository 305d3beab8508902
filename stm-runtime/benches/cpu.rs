//! Measures the CPU engine: `cargo bench -p stm-runtime --bench cpu -- [accounts] [transactions] [threads] [runs] [--check]`.

#[path = "../tests/support/mod.rs"]
mod support;

use std::time::Instant;

use stm_runtime::{Device, Error};
use support::Random;
use support::procedures::transfer;

fn main() -> Result<(), Error> {
    let numbers: Vec<usize> = std::env::args().filter_map(|arg| arg.parse().ok()).collect();
    let number = |at: usize, default| numbers.get(at).copied().unwrap_or(default);
    let (accounts, transactions) = (number(0, 1_000_000), number(1, 4_000_000));
    let device = Device::cpu(number(2, 0));
    let balances = device.shared(&vec![1000_i64; accounts])?;
    let mut random = Random::new(1);
    let start = Instant::now();
    let mut batch = device.batch();
    for _ in 0..transactions {
        let (from, to) = (random.below(accounts as u32), random.below(accounts as u32));
        let to = if from == to { (to + 1) % accounts as u32 } else { to };
        batch.push(transfer::call(&balances, from, to, i64::from(random.below(100))));
    }
    let made = start.elapsed();
    println!(
        "{device}: batch of {transactions} in {made:.2?}, {:.1} ns a transaction",
        made.as_secs_f64() * 1e9 / transactions as f64
    );
    let options = stm_runtime::RunOptions::new().check(std::env::args().any(|arg| arg == "--check"));
    for _ in 0..number(3, 5) {
        let report = batch.run_with(&options)?;
        println!(
            "{:.2} M/s  (committed {}, conflicts {}, postponed {}, run {:.1?}, total {:.1?}, check {:.1?}: {:?})",
            report.rate() / 1e6,
            report.committed,
            report.conflicts.total(),
            report.postponements,
            report.times.kernel,
            report.times.total,
            report.times.check,
            report.serializable(),
        );
    }
    assert_eq!(balances.to_vec()?.iter().sum::<i64>(), 1000 * accounts as i64);
    Ok(())
}
