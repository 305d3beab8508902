// `?` of an `Option` needs a function that returns one.
use stm_runtime::prelude::*;

#[gpu_transaction]
fn tried(tx: &mut Tx, data: &Shared<u32>, maybe: Option<u32>) -> TxResult {
    let x = maybe?;
    let y = maybe.or(None)?;
    tx.write(data, x, y)
}

#[gpu_fn]
fn number(maybe: Option<u32>) -> u32 {
    maybe? + 1
}

#[gpu_fn]
fn other(x: u32) -> Option<u32> {
    let y = x?;
    Some(y)
}

fn main() {}
