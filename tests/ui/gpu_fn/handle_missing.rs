// The handle is passed on, where the function wants it.
#![allow(unused)]

use stm_runtime::prelude::*;

#[gpu_fn]
fn take(tx: &mut Tx, data: &Shared<i64>, at: u32) -> TxResult<i64> {
    tx.read(data, at)
}

#[gpu_fn]
fn fee(x: i64) -> i64 {
    x + 1
}

#[gpu_transaction]
fn pay(tx: &mut Tx, data: &Shared<i64>) -> TxResult {
    let value = take(data, 1)?;
    let cost = fee(tx, value);
    tx.write(data, 0, cost)
}

fn main() {}
