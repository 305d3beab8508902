// Elements of which nothing is stored: at the type.
use stm_runtime::prelude::*;

#[gpu_transaction]
fn unit(tx: &mut Tx, nothing: &Shared<()>) -> TxResult {
    Ok(())
}

#[gpu_transaction]
fn units(tx: &mut Tx, counts: &Shared<u32>, nothing: &Shared<[((), ()); 4]>) -> TxResult<u32> {
    tx.read(counts, 0)
}

fn main() {}
