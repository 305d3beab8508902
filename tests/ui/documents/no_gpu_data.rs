use gpu_transactions::prelude::*;

#[derive(Clone, Copy)]
struct Plain {
    x: u32,
}

#[gpu_transaction]
fn get(tx: &mut Tx, cells: &Shared<Plain>, at: u32) -> TxResult<u32> {
    tx.read(&cells.x, at)
}

fn main() {}
