// The handle is `tx: &mut Tx`, and comes first.
use stm_runtime::prelude::*;

#[gpu_fn]
fn second(data: &Shared<u32>, tx: &mut Tx) -> TxResult<u32> {
    tx.read(data, 0)
}

#[gpu_fn]
fn no_result(tx: &mut Tx, data: &Shared<u32>) -> u32 {
    tx.read(data, 0)?
}

fn main() {}
