//! The outcomes other than a commit.

#![allow(clippy::reversed_empty_ranges, reason = "one loop never runs")]

use stm_runtime::prelude::*;

/// Accesses no array.
#[gpu_transaction]
pub fn nothing(_tx: &mut Tx, number: u32) -> TxResult<u32> {
    Ok(number)
}

/// The bound of a loop that never runs.
const NONE: u32 = 0;

/// Would write, but in a loop that never runs: it accesses nothing.
#[gpu_transaction]
pub fn never(tx: &mut Tx, bytes: &Shared<u8>, number: u32) -> TxResult<u32> {
    for at in 0..NONE {
        tx.write(bytes, at, 1)?;
    }
    Ok(number)
}

/// Adds to a byte: faults on a bad index and on overflow.
#[gpu_transaction(overflow = "check")]
pub fn grow(tx: &mut Tx, bytes: &Shared<u8>, at: i32, by: u8) -> TxResult {
    let seen = tx.read(bytes, at)?;
    let grown = seen + by; // the overflow
    tx.write(bytes, at, grown)
}

/// Adds to a byte and wraps.
#[gpu_transaction(overflow = "wrap")]
pub fn grow_wrapping(tx: &mut Tx, bytes: &Shared<u8>, at: i32, by: u8) -> TxResult {
    let seen = tx.read(bytes, at)?;
    tx.write(bytes, at, seen + by)
}

/// Writes first and divides afterwards: where the divisor is zero, no write may take effect.
#[gpu_transaction(overflow = "check")]
pub fn divide(tx: &mut Tx, numbers: &Shared<i32>, at: u32, by: i32) -> TxResult<i32> {
    let seen = tx.read(numbers, at)?;
    tx.write(numbers, at, -1)?;
    let quotient = seen / by; // the division
    tx.write(numbers, at, seen)?;
    Ok(quotient)
}

/// Writes first and rejects afterwards: small values with code 7, large ones with code 4,000,000,000.
#[gpu_transaction]
pub fn refuse(tx: &mut Tx, numbers: &Shared<i64>, at: u32, least: i64, most: i64) -> TxResult {
    let seen = tx.read(numbers, at)?;
    tx.write(numbers, at, seen + 1)?;
    if seen < least {
        tx.reject(7)?;
    }
    if seen > most {
        tx.reject(4_000_000_000)?;
    }
    Ok(())
}

/// Declares fewer accesses than it can make.
#[gpu_transaction(max_accesses = 4)]
pub fn too_many(tx: &mut Tx, numbers: &Shared<i64>, n: u32, stride: u32) -> TxResult<i64> {
    let mut sum = 0;
    for step in 0..n {
        sum += tx.read(numbers, step * stride)?; // the access
    }
    Ok(sum)
}

/// Declares fewer writes than it can make.
#[gpu_transaction(max_accesses = 4)]
pub fn too_many_writes(tx: &mut Tx, numbers: &Shared<i64>, n: u32) -> TxResult {
    for at in 0..n {
        let seen = tx.read(numbers, at)?;
        tx.write(numbers, at, seen + 1)?;
    }
    Ok(())
}

/// Reads an element. Then reads, in a loop with a bound of four other elements, the first two in turn, `again` times in all,
/// and the first `n`.
#[gpu_transaction(max_accesses = 4)]
pub fn one_and_many(tx: &mut Tx, numbers: &Shared<i64>, one: u32, n: u32, again: u32) -> TxResult<i64> {
    let mut sum = tx.read(numbers, one)?;
    for step in 0..again + n {
        let at = if step < again { step % 2 } else { step - again };
        sum += tx.read(numbers, at)?; // the access of a loop
    }
    Ok(sum)
}

/// Adds one to an element, and then to each of the first `n` in a loop with a bound of four other elements.
#[gpu_transaction(max_accesses = 4)]
pub fn one_and_many_writes(tx: &mut Tx, numbers: &Shared<i64>, one: u32, n: u32) -> TxResult {
    let seen = tx.read(numbers, one)?;
    tx.write(numbers, one, seen + 1)?;
    for at in 0..n {
        let seen = tx.read(numbers, at)?; // the access of a loop
        tx.write(numbers, at, seen + 1)?;
    }
    Ok(())
}

/// Exceeds its bound of iterations.
#[gpu_transaction(max_iterations = 50)]
pub fn spin(tx: &mut Tx, numbers: &Shared<i64>, rounds: u32) -> TxResult<i64> {
    let start = tx.read(numbers, 0)?;
    let mut sum = start;
    for _ in 0..rounds {
        sum += 1;
    }
    Ok(sum)
}
