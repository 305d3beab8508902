// Types of constants are Rust's to check, too.
#![allow(unused)]

use stm_runtime::prelude::*;

mod rules {
    pub const LIMIT: i64 = 10;
    pub const NAME: &str = "x";
    const HIDDEN: u32 = 1;
}

#[gpu_transaction]
fn constants(tx: &mut Tx, data: &Shared<u32>, x: u32) -> TxResult {
    let a = x + rules::LIMIT;
    let b: u32 = rules::LIMIT;
    let c = rules::NAME;
    let d = rules::HIDDEN;
    let e = rules::MISSING;
    let f = MISSING;
    let list = [0_u32; rules::LIMIT];
    tx.write(data, rules::LIMIT, rules::LIMIT)
}

fn main() {}
