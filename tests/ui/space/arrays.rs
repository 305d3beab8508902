// Local variables that no thread has room for: at the declaration that takes most.
use stm_runtime::prelude::*;

#[gpu_transaction]
fn scratch(tx: &mut Tx, cells: &Shared<u32>, at: usize) -> TxResult {
    let mut scratch = [0_u32; 1_000_000];
    scratch[at] = 7;
    tx.write(cells, 0, scratch[at])
}

#[gpu_fn]
fn rows(x: u64) -> u64 {
    let first = [x; 10];
    let rows = [[first[1]; 300]; 300];
    rows[3][4]
}

#[gpu_transaction]
fn compared(tx: &mut Tx, cells: &Shared<bool>, x: i64) -> TxResult {
    tx.write(cells, 0, [x; 9_000] == [7; 9_000])
}

#[gpu_transaction]
fn argument(tx: &mut Tx, cells: &Shared<u64>, words: [u64; 10_000]) -> TxResult {
    tx.write(cells, 0, words[0])
}

fn main() {}
