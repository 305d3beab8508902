// A constant in a pattern is named as Rust names constants.
#![allow(unused)]

use stm_runtime::prelude::*;

const limit: u32 = 3;

#[gpu_transaction]
fn pattern(tx: &mut Tx, x: u32) -> TxResult<u32> {
    match x {
        limit => Ok(1),
        _ => Ok(2),
    }
}

fn main() {}
