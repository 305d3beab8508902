// Visibility is Rust's.
#![allow(unused)]

use stm_runtime::prelude::*;

mod rules {
    use stm_runtime::prelude::*;

    #[gpu_fn]
    fn hidden(x: u32) -> u32 {
        x
    }
}

#[gpu_transaction]
fn pay(tx: &mut Tx, data: &Shared<u32>, x: u32) -> TxResult {
    tx.write(data, 0, rules::hidden(x))
}

fn main() {}
