//! Transactions written as closures.

use stm_runtime::Kernel;
use stm_runtime::prelude::*;

#[gpu_transaction]
pub const touch: _ = |tx: &mut Tx, data: &Shared<i64>, i: u32| tx.update(data, i, |x| x * 3);

#[gpu_transaction(overflow = "wrap")]
pub const count: _ = |tx: &mut Tx, data: &Shared<i64>, i: u32| -> TxResult<i64> {
    let old = tx.read(data, i)?;
    tx.write(data, i, old + 1)?;
    Ok(old)
};

/// What it captures is a parameter.
pub fn expression() -> Kernel {
    let fee = 2_i64;
    let charge = stm_runtime::gpu_transaction!(captures(fee: i64), |tx: &mut Tx, data: &Shared<i64>, i: u32| {
        tx.update(data, i, |x| x - fee)
    });
    charge.kernel()
}
