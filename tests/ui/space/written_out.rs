// What is written out until no kernel holds it: the elements of arrays, and blocks in each other.
use stm_runtime::prelude::*;

#[gpu_transaction]
fn compare(tx: &mut Tx, cells: &Shared<u32>, start: u8, step: u8) -> TxResult {
    let mut old = [start; 30_000];
    let mut new = [start; 30_000];
    old[1] = step;
    let mut same = 0;
    same += if old == new { 1 } else { 0 };
    new[1] = step;
    same += if old == new { 1 } else { 0 };
    new[2] = step;
    same += if old != new { 1 } else { 0 };
    tx.write(cells, 0, same)
}

#[gpu_transaction]
fn nested(tx: &mut Tx, cells: &Shared<u32>, n: u32) -> TxResult {
    let mut x = n;
    if x > 0 { if x > 0 { if x > 0 { if x > 0 { if x > 0 { if x > 0 { if x > 0 { if x > 0 { if x > 0 { if x > 0 { if x > 0 { if x > 0 { if x > 0 { if x > 0 { if x > 0 { if x > 0 { if x > 0 { if x > 0 { if x > 0 { if x > 0 { if x > 0 { if x > 0 { if x > 0 { if x > 0 { if x > 0 { if x > 0 { if x > 0 { if x > 0 { if x > 0 { if x > 0 { if x > 0 { if x > 0 { if x > 0 { if x > 0 { if x > 0 { if x > 0 { if x > 0 { if x > 0 { if x > 0 { if x > 0 { if x > 0 { if x > 0 { if x > 0 { if x > 0 { if x > 0 { if x > 0 { if x > 0 { if x > 0 { if x > 0 { if x > 0 { if x > 0 { if x > 0 { if x > 0 { if x > 0 { if x > 0 { if x > 0 { if x > 0 { if x > 0 { if x > 0 { if x > 0 { if x > 0 { if x > 0 { if x > 0 { if x > 0 { if x > 0 { if x > 0 { if x > 0 { if x > 0 { if x > 0 { if x > 0 { if x > 0 { if x > 0 { if x > 0 { if x > 0 { if x > 0 { if x > 0 { if x > 0 { if x > 0 { if x > 0 { if x > 0 { if x > 0 { if x > 0 { if x > 0 { if x > 0 { if x > 0 { if x > 0 { if x > 0 { if x > 0 { if x > 0 { if x > 0 { if x > 0 { if x > 0 { if x > 0 { if x > 0 { if x > 0 { if x > 0 { if x > 0 { if x > 0 { if x > 0 { if x > 0 { if x > 0 { if x > 0 { if x > 0 { if x > 0 { if x > 0 { if x > 0 { if x > 0 { if x > 0 { if x > 0 { if x > 0 { if x > 0 { if x > 0 { if x > 0 { if x > 0 { if x > 0 { if x > 0 { if x > 0 { if x > 0 { if x > 0 { if x > 0 { if x > 0 { if x > 0 { if x > 0 { if x > 0 { if x > 0 { if x > 0 { if x > 0 { if x > 0 { if x > 0 { if x > 0 { x -= 1; } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } }
    tx.write(cells, 0, x)
}

fn main() {}
