use gpu_transactions::prelude::*;

fn helper(x: u32) -> u32 {
    x + 1
}

#[gpu_transaction]
fn set(tx: &mut Tx, cells: &Shared<u32>, at: u32) -> TxResult {
    let value = helper(at);
    tx.write(cells, at, value)
}

fn main() {}
