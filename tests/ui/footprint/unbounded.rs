// Accesses in loops without constant bounds need a stated number.
use stm_runtime::prelude::*;

#[gpu_transaction]
fn walk(tx: &mut Tx, next: &Shared<u32>, start: u32) -> TxResult<u32> {
    let mut at = start;
    while at != 0 {
        at = tx.read(next, at)?;
    }
    Ok(at)
}

#[gpu_transaction]
fn fill(tx: &mut Tx, data: &Shared<u32>, n: u32) -> TxResult {
    for i in 0..n {
        tx.write(data, i, 0)?;
    }
    Ok(())
}

fn main() {}
