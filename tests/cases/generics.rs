//! A transaction for several types.

use stm_runtime::prelude::*;

#[gpu_transaction(instantiate(u32, i64))]
pub fn add<T>(tx: &mut Tx, data: &Shared<T>, i: u32, by: T) -> TxResult<T> {
    let old = tx.read(data, i)?;
    tx.write(data, i, old + by)?;
    Ok(old)
}
