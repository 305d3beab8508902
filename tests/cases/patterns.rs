//! `if let`, `let else`, `while let`, and conditions in a chain.

use stm_runtime::prelude::*;

#[gpu_transaction]
pub fn chain(tx: &mut Tx, slots: &Shared<Option<u32>>, i: u32, least: Option<u32>) -> TxResult<u32> {
    if let Some(x) = tx.read(slots, i)?
        && x > 3
        && let Some(least) = least
    {
        tx.write(slots, i, Some(x + least))?;
        Ok(x)
    } else {
        Ok(0)
    }
}

#[gpu_transaction]
pub fn otherwise(tx: &mut Tx, pairs: &Shared<(u32, u32)>, i: u32) -> TxResult<u32> {
    let (1..=9, y) = tx.read(pairs, i)? else { return tx.reject(2) };
    let kind = if let 2 | 3 = y { 10 } else { 20 };
    Ok(y + kind)
}

#[gpu_transaction(max_accesses = 16, max_iterations = 20)]
pub fn follow(tx: &mut Tx, next: &Shared<Option<u32>>, start: u32) -> TxResult<u32> {
    let mut at = start;
    while let Some(to) = tx.read(next, at)? {
        at = to;
    }
    Ok(at)
}

pub const WIDTH: usize = 4;

#[derive(Debug, Clone, Copy, GpuData)]
pub struct Row {
    marks: [u32; WIDTH],
}

/// Only rustc knows how long the array is.
#[gpu_transaction]
pub fn ends(tx: &mut Tx, rows: &Shared<Row>, i: u32) -> TxResult<u32> {
    let mut row = tx.read(rows, i)?;
    let [first, .., before, _] = row.marks;
    if let [0..=99, .., last] = &mut row.marks {
        *last ^= first;
    }
    tx.write(rows, i, row)?;
    Ok(before)
}
