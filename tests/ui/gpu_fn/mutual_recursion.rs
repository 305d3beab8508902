// Nor through others: where a transaction calls one of them, by whichever way.
#![allow(unused)]

use stm_runtime::prelude::*;

#[gpu_fn]
fn even(n: u32) -> bool {
    if n == 0 { true } else { odd(n - 1) }
}

#[gpu_fn]
fn odd(n: u32) -> bool {
    if n == 0 { false } else { even(n - 1) }
}

#[gpu_fn]
fn half(n: u32) -> u32 {
    if odd(n) { n / 2 + 1 } else { n / 2 }
}

#[gpu_fn]
fn by_its_path(n: u32) -> u32 {
    if n == 0 { 0 } else { self::by_its_path(n - 1) }
}

#[gpu_transaction]
fn halve(tx: &mut Tx, cells: &Shared<u32>, n: u32) -> TxResult {
    tx.write(cells, 0, half(n))
}

#[gpu_transaction]
fn count(tx: &mut Tx, cells: &Shared<u32>, n: u32) -> TxResult {
    tx.write(cells, 0, by_its_path(n))
}

fn main() {}
