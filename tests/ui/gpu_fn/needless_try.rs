// `?` is for functions that return a `TxResult`.
#![allow(unused)]

use stm_runtime::prelude::*;

#[gpu_fn]
fn fee(x: i64) -> i64 {
    x + 1
}

#[gpu_transaction]
fn pay(tx: &mut Tx, data: &Shared<i64>, x: i64) -> TxResult {
    let cost = fee(x)?;
    tx.write(data, 0, cost)
}

#[gpu_transaction]
fn last(tx: &mut Tx, x: i64) -> TxResult<i64> {
    fee(x)
}

fn main() {}
