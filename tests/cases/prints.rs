//! Printing from inside a transaction.

use stm_runtime::prelude::*;

use super::enums::Level;

#[gpu_transaction]
pub fn show(tx: &mut Tx, data: &Shared<i64>, i: u32, pair: (bool, Option<u8>), level: Level) -> TxResult {
    let old = tx.read(data, i)?;
    gpu_println!("{i}: {old} {{100%}} {pair:?}");
    gpu_println!("{:?}", level);
    tx.write(data, i, old + 1)
}
