// What a transaction calls has the attribute.
#![allow(unused)]

use stm_runtime::prelude::*;

fn fee(x: u32) -> u32 {
    x + 1
}

mod rules {
    pub fn tax(x: u32) -> u32 {
        x + 2
    }
}

#[gpu_fn]
fn both(x: u32) -> u32 {
    fee(x) + rules::tax(x)
}

#[gpu_transaction]
fn pay(tx: &mut Tx, data: &Shared<u32>, x: u32) -> TxResult {
    let cost = fee(x);
    tx.write(data, 0, rules::tax(cost))
}

fn main() {}
