//! The slice of a guard: the reads that its condition depends on, also through branches and earlier writes.

use stm_runtime::prelude::*;

#[gpu_transaction]
pub fn slices(tx: &mut Tx, data: &Shared<i32>, other: &Shared<i32>, i: u32) -> TxResult {
    let a = tx.read(data, i)?;
    let b = tx.read(other, i)?;
    let c = tx.read(data, 3)?;
    tx.guard(b > 0)?;
    let mut limit = 10;
    if a > 0 {
        limit = 20;
    }
    tx.guard(limit > c)?;
    tx.write(other, 5, a)?;
    let written = tx.read(other, i + 1)?;
    tx.guard(written != 0)?;
    if c == 4 {
        return Ok(());
    }
    tx.guard(true)
}
