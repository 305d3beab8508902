// A transaction is not called from another one.
#![allow(unused)]

use stm_runtime::prelude::*;

#[gpu_transaction]
fn inner(tx: &mut Tx, data: &Shared<u32>) -> TxResult {
    tx.write(data, 0, 1)
}

#[gpu_transaction]
fn outer(tx: &mut Tx, data: &Shared<u32>) -> TxResult {
    inner(tx, data)?;
    inner(tx, data)
}

fn main() {}
