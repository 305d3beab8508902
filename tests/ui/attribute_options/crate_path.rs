// The path by which the program names this crate is a path, and no text.
use stm_runtime::prelude::*;

#[gpu_transaction(crate = "stm_runtime")]
fn count(tx: &mut Tx, counts: &Shared<u32>) -> TxResult {
    tx.write(counts, 0, 1)
}

#[gpu_fn(crate)]
fn fee(x: u32) -> u32 {
    x + 1
}

#[derive(Clone, Copy, GpuData)]
#[gpu_data(path = stm_runtime)]
struct Room {
    free: u32,
}

fn main() {}
