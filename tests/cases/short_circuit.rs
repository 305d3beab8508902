//! `&&` and `||` branch only where the right side can fault or has an effect.

use stm_runtime::prelude::*;

#[gpu_transaction]
pub fn pure(tx: &mut Tx, a: u32, b: u32, c: bool) -> TxResult {
    tx.guard(a < b && c || !(a == b))
}

#[gpu_transaction]
pub fn effects(tx: &mut Tx, data: &Shared<u32>, a: u32, b: u32) -> TxResult<bool> {
    let safe = b != 0 && a / b > 1;
    let found = safe || tx.read(data, a)? == b;
    Ok(found)
}
