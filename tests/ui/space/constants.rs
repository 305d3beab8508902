// What only rustc can count: arguments, results and elements hold so many scalars at most, because a call holds all of them; and a
// constant is a part of the kernel.
use stm_runtime::prelude::*;

const MANY: usize = 1_000_000;

#[derive(Clone, Copy, GpuData)]
struct Page {
    words: [u64; 5000],
}

#[gpu_transaction]
fn argument(tx: &mut Tx, cells: &Shared<u64>, words: [u64; MANY]) -> TxResult {
    tx.write(cells, 0, words[0])
}

#[gpu_transaction]
fn element(tx: &mut Tx, pages: &Shared<Page>, at: u32) -> TxResult<u64> {
    Ok(tx.read(&pages.words, at)?[0])
}

#[gpu_transaction]
fn result(tx: &mut Tx, cells: &Shared<u32>, at: u32) -> TxResult<[u32; MANY]> {
    tx.reject(tx.read(cells, at)?)
}

const BATCH: [u32; MANY] = [7; MANY];

#[gpu_transaction]
fn constant(tx: &mut Tx, cells: &Shared<u32>, at: u32) -> TxResult {
    tx.write(cells, at, BATCH[at as usize])
}

fn main() {}
