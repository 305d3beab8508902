//! Transactions whose guards wait for other transactions.

use stm_runtime::prelude::*;

/// Waits for one flag and sets another.
#[gpu_transaction]
pub fn pass_on(tx: &mut Tx, flags: &Shared<u32>, from: u32, to: u32) -> TxResult {
    let there = tx.read(flags, from)?;
    tx.guard(there == 1)?;
    tx.write(flags, to, 1)
}

/// Sets a flag.
#[gpu_transaction]
pub fn raise_flag(tx: &mut Tx, flags: &Shared<u32>, at: u32) -> TxResult {
    tx.write(flags, at, 1)
}

/// Writes before the guard: no transaction may read the write before the flag is up.
#[gpu_transaction]
pub fn write_then_wait(tx: &mut Tx, cells: &Shared<i64>, flags: &Shared<u32>, at: u32, value: i64) -> TxResult {
    tx.write(cells, at, value)?;
    let there = tx.read(flags, at)?;
    tx.guard(there == 1)
}

/// Waits for a flag without writing anything.
#[gpu_transaction]
pub fn wait_only(tx: &mut Tx, flags: &Shared<u32>, at: u32) -> TxResult<u32> {
    let there = tx.read(flags, at)?;
    tx.guard(there == 1)?;
    Ok(there)
}

/// Waits until the halves of a pair differ, which they never do: only a torn read makes the guard true.
#[gpu_transaction]
pub fn wait_torn(tx: &mut Tx, halves: &Shared<i64>, seen: &Shared<i64>, pair: u32) -> TxResult {
    let left = tx.read(halves, 2 * pair)?;
    let right = tx.read(halves, 2 * pair + 1)?;
    tx.guard(left != right)?;
    tx.write(seen, pair, left - right)
}
