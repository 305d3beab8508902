//! The smallest program: many transactions count on a few counters, and none is lost.
//!
//! `cargo run --release --example counter`

use std::io::{Write, stdout};
use std::process::ExitCode;

use gpu_transactions::prelude::*;

/// Adds one to a counter.
#[gpu_transaction]
fn increment(tx: &mut Tx, counters: &Shared<u64>, which: u32) -> TxResult {
    let count = tx.read(counters, which)?;
    tx.write(counters, which, count + 1)
}

fn main() -> ExitCode {
    examples::ending("counter", run())
}

fn run() -> Result<(), Box<dyn std::error::Error>> {
    let device = Device::auto()?;
    let counters = device.shared(&[0_u64; 10])?;
    let mut batch = device.batch();
    for turn in 0..1_000_000 {
        batch.push(increment::call(&counters, turn % 10));
    }
    write!(stdout(), "{}", batch.run()?)?;
    assert_eq!(counters.to_vec()?, [100_000; 10]);
    Ok(())
}
