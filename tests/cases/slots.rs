//! Slots: one for each element that is provably the same, with what the body does to it.

use stm_runtime::prelude::*;

#[gpu_transaction]
pub fn intents(tx: &mut Tx, data: &Shared<i64>, a: u32, b: u32, c: u32, put: bool) -> TxResult<i64> {
    let same = a;
    let read = tx.read(data, a as usize)?;
    let update = tx.read(data, b)?;
    tx.write(data, b, update + read)?;
    tx.write(data, c, 0)?;
    let back = tx.read(data, c)?;
    if put {
        tx.write(data, 7, back)?;
    }
    let seven = tx.read(data, 7_i64)?;
    Ok(seven + tx.read(data, same)?)
}

#[gpu_transaction]
pub fn paths(tx: &mut Tx, data: &Shared<u32>, i: u32, left: bool) -> TxResult {
    let mut at = i;
    if left {
        let x = tx.read(data, at)?;
        tx.write(data, at, x + 1)?;
    } else {
        tx.write(data, i, 9)?;
        at = i + 1;
    }
    tx.write(data, at, 0)?;
    if left {
        return Ok(());
    }
    tx.write(data, i + 1, 3)
}
