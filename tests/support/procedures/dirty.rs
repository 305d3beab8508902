//! Transactions that write and then do not commit, and transactions that read those elements.

use stm_runtime::prelude::*;

/// A value that no committed transaction may read: only transactions that do not commit write it.
pub const SPOILT: i64 = -1_000_000;

/// Writes the spoilt value to two elements, to the first of them twice, and then rejects.
#[gpu_transaction]
pub fn spoil_and_refuse(tx: &mut Tx, cells: &Shared<i64>, at: u32, other: u32) -> TxResult {
    tx.write(cells, at, SPOILT)?;
    tx.write(cells, other, SPOILT - 1)?;
    tx.write(cells, at, SPOILT - 2)?;
    tx.reject(3)
}

/// Reads, writes the spoilt value, and then divides by zero.
#[gpu_transaction(overflow = "check")]
pub fn spoil_and_fault(tx: &mut Tx, cells: &Shared<i64>, at: u32, zero: i64) -> TxResult<i64> {
    let seen = tx.read(cells, at)?;
    tx.write(cells, at, SPOILT)?;
    Ok(seen / zero)
}

/// Writes the spoilt value while a flag is down, and a good value once it is up.
#[gpu_transaction]
pub fn spoil_and_wait(tx: &mut Tx, cells: &Shared<i64>, flags: &Shared<u32>, at: u32, good: i64) -> TxResult {
    tx.write(cells, at, SPOILT)?;
    let there = tx.read(flags, at)?;
    tx.guard(there == 1)?;
    tx.write(cells, at, good)
}

/// Spoils `n` elements in two rounds and rejects.
#[gpu_transaction(max_accesses = 8)]
pub fn spoil_run(tx: &mut Tx, cells: &Shared<i64>, first: u32, n: u32) -> TxResult {
    for round in 0..2 {
        for at in first..first + n {
            let seen = tx.read(cells, at)?;
            tx.write(cells, at, SPOILT - seen.abs() - round)?;
        }
    }
    tx.reject(4)
}

/// Spoils a narrow element whose index is stored in an array, by two names, and rejects.
#[gpu_transaction]
pub fn spoil_found(tx: &mut Tx, places: &Shared<u32>, cells: &Shared<i32>, at: u32) -> TxResult {
    let place = tx.read(places, at)?;
    tx.write(cells, place, -1)?;
    let again = tx.read(places, at)?;
    tx.write(cells, again, -2)?;
    tx.reject(5)
}

/// Reads one element and does nothing else.
#[gpu_transaction]
pub fn look(tx: &mut Tx, cells: &Shared<i64>, at: u32) -> TxResult<i64> {
    tx.read(cells, at)
}

/// Reads one narrow element and does nothing else.
#[gpu_transaction]
pub fn look_narrow(tx: &mut Tx, cells: &Shared<i32>, at: u32) -> TxResult<i32> {
    tx.read(cells, at)
}

/// Copies one element to another.
#[gpu_transaction]
pub fn copy_on(tx: &mut Tx, cells: &Shared<i64>, from: u32, to: u32) -> TxResult<i64> {
    let value = tx.read(cells, from)?;
    tx.write(cells, to, value)?;
    Ok(value)
}

/// Rejects if it reads the spoilt value.
#[gpu_transaction]
pub fn refuse_spoilt(tx: &mut Tx, cells: &Shared<i64>, at: u32) -> TxResult<i64> {
    let value = tx.read(cells, at)?;
    if value < 0 {
        tx.reject(6)?;
    }
    Ok(value)
}
