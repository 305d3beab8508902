// A function that does not exist at all.
#![allow(unused)]

use stm_runtime::prelude::*;

#[gpu_transaction]
fn pay(tx: &mut Tx, data: &Shared<u32>, x: u32) -> TxResult {
    let cost = fee(x);
    tx.write(data, 0, rules::tax(cost))
}

fn main() {}
