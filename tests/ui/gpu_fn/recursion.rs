// No function calls itself, because the device has no stack for it.
use stm_runtime::prelude::*;

#[gpu_fn]
fn factorial(n: u64) -> u64 {
    if n == 0 { 1 } else { n * factorial(n - 1) }
}

#[gpu_transaction]
fn again(tx: &mut Tx, data: &Shared<u32>) -> TxResult {
    again(tx, data)
}

fn main() {}
