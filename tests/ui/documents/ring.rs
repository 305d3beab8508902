use gpu_transactions::prelude::*;

#[gpu_fn]
fn even(x: u32) -> bool {
    if x == 0 { true } else { odd(x - 1) }
}

#[gpu_fn]
fn odd(x: u32) -> bool {
    if x == 0 { false } else { even(x - 1) }
}

#[gpu_transaction]
fn set(tx: &mut Tx, cells: &Shared<bool>, at: u32) -> TxResult {
    tx.write(cells, at, even(at))
}

fn main() {}
