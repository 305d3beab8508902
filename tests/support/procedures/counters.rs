//! Counters: the simplest test for lost updates.

use stm_runtime::prelude::*;

/// Adds one. It is checked in every build, so the engine sees the counters: sums that wrap are deferred.
#[gpu_transaction(overflow = "check")]
pub fn increment(tx: &mut Tx, counters: &Shared<i64>, at: u32) -> TxResult {
    let seen = tx.read(counters, at)?;
    tx.write(counters, at, seen + 1)
}

/// Adds one to a narrow counter.
#[gpu_transaction(overflow = "check")]
pub fn increment_narrow(tx: &mut Tx, counters: &Shared<i32>, at: u32) -> TxResult {
    let seen = tx.read(counters, at)?;
    tx.write(counters, at, seen + 1)
}

/// Adds one to the counter whose index is stored in an array. Returns the old value.
#[gpu_transaction]
pub fn increment_found(tx: &mut Tx, places: &Shared<u32>, counters: &Shared<i64>, at: u32) -> TxResult<i64> {
    let place = tx.read(places, at)?;
    let seen = tx.read(counters, place)?;
    tx.write(counters, place, seen + 1)?;
    Ok(seen)
}

/// Does the same with narrow counters.
#[gpu_transaction]
pub fn increment_found_narrow(tx: &mut Tx, places: &Shared<u32>, counters: &Shared<i32>, at: u32) -> TxResult<i32> {
    let place = tx.read(places, at)?;
    let seen = tx.read(counters, place)?;
    tx.write(counters, place, seen + 1)?;
    Ok(seen)
}

/// Returns the value of one counter.
#[gpu_transaction]
pub fn look(tx: &mut Tx, counters: &Shared<i64>, at: u32) -> TxResult<i64> {
    tx.read(counters, at)
}

/// Returns the value of one narrow counter.
#[gpu_transaction]
pub fn look_narrow(tx: &mut Tx, counters: &Shared<i32>, at: u32) -> TxResult<i32> {
    tx.read(counters, at)
}

/// Adds one to each of `n` counters.
#[gpu_transaction(max_accesses = 8)]
pub fn increment_run(tx: &mut Tx, counters: &Shared<i64>, first: u32, n: u32) -> TxResult {
    for at in first..first + n {
        let seen = tx.read(counters, at)?;
        tx.write(counters, at, seen + 1)?;
    }
    Ok(())
}

/// Returns the sum of the first `n` counters.
#[gpu_transaction(max_accesses = 32)]
pub fn total(tx: &mut Tx, counters: &Shared<i64>, n: u32) -> TxResult<i64> {
    let mut sum = 0;
    for at in 0..n {
        sum += tx.read(counters, at)?;
    }
    Ok(sum)
}

/// Adds one, and delays between reading and writing: it reads the first `n` cells.
#[gpu_transaction(max_accesses = 8)]
pub fn increment_slowly(tx: &mut Tx, counters: &Shared<i64>, cells: &Shared<u8>, n: u32) -> TxResult<i64> {
    let seen = tx.read(counters, 0)?;
    for at in 0..n {
        tx.read(cells, at)?;
    }
    tx.write(counters, 0, seen + 1)?;
    Ok(seen)
}
