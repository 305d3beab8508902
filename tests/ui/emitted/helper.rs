// A mistake in a function is none of its callers.
use stm_runtime::prelude::*;

#[gpu_fn]
fn broken(x: u32) -> u32 {
    x.to_string()
}

#[gpu_fn]
fn misfit(x: &str) -> u32 {
    x.len() as u32
}

#[gpu_fn]
fn take(tx: &mut Tx, data: &Shared<u32>, at: u32) -> TxResult<u32> {
    tx.reed(data, at)
}

#[gpu_fn]
fn through(x: u32) -> u32 {
    broken(x) + 1
}

#[gpu_transaction]
fn uses(tx: &mut Tx, data: &Shared<u32>, x: u32) -> TxResult {
    let y = broken(x) + through(x) + misfit(x);
    let z = take(tx, data, x)?;
    tx.write(data, 0, y + z)
}

fn main() {}
