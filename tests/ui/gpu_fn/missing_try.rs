// The result of a function that can conflict is passed on with `?`.
#![allow(unused)]

use stm_runtime::prelude::*;

#[gpu_fn]
fn take(tx: &mut Tx, data: &Shared<i64>, at: u32) -> TxResult<i64> {
    tx.read(data, at)
}

#[gpu_fn]
fn clear(tx: &mut Tx, data: &Shared<i64>, at: u32) -> TxResult {
    tx.write(data, at, 0)
}

#[gpu_transaction]
fn pay(tx: &mut Tx, data: &Shared<i64>) -> TxResult {
    let value = take(tx, data, 1);
    clear(tx, data, 2);
    tx.write(data, 0, value)
}

fn main() {}
