// Calls are checked as Rust checks them.
#![allow(unused)]

use stm_runtime::prelude::*;

#[gpu_fn]
fn fee(amount: i64, rate: u32) -> i64 {
    amount * rate as i64
}

#[gpu_fn]
fn bump(x: &mut u32) {
    *x += 1;
}

#[gpu_fn]
fn take(tx: &mut Tx, data: &Shared<i64>, at: u32) -> TxResult<i64> {
    tx.read(data, at)
}

#[gpu_transaction]
fn count(tx: &mut Tx, data: &Shared<i64>) -> TxResult {
    let few = fee(1);
    let many = fee(1, 2, 3);
    Ok(())
}

#[gpu_transaction]
fn types(tx: &mut Tx, data: &Shared<i64>, other: &Shared<u8>, x: u32) -> TxResult {
    let a = fee(x, 2);
    let b = take(tx, other, 1)?;
    let c: u32 = fee(1, 2);
    Ok(())
}

#[gpu_transaction]
fn place(tx: &mut Tx, data: &Shared<i64>, x: u32) -> TxResult {
    let y = 1_u32;
    bump(y);
    bump(&mut x);
    bump(&mut 3);
    bump(&mut data);
    Ok(())
}

fn main() {}
