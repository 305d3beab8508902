//! Addresses from the arguments alone are announced: computed again, with operators that cannot fault.

use stm_runtime::prelude::*;

#[gpu_transaction]
pub fn computed(tx: &mut Tx, data: &Shared<u32>, base: u32, step: i16, x: f64, flag: bool) -> TxResult {
    let at = base * 4 + 1;
    let first = tx.read(data, at)?;
    tx.write(data, at + step as u32, first)?;
    tx.write(data, (at << 2) / base % 3, 1)?;
    tx.write(data, -step, 2)?;
    tx.write(data, (x * 2.0) as u64, 3)?;
    if flag {
        tx.write(data, (flag & (x < 1.0)) as u8, 4)?;
    }
    tx.write(data, !at, 5)
}

#[gpu_transaction]
pub fn pointer(tx: &mut Tx, next: &Shared<u32>, i: u32) -> TxResult {
    let at = tx.read(next, i)?;
    tx.write(next, at, 0)
}

#[gpu_transaction]
pub fn chosen(tx: &mut Tx, data: &Shared<u32>, i: u32, j: u32) -> TxResult {
    let at = if i < j { i } else { j };
    tx.write(data, at, 0)
}
