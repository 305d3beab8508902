// A footprint that no device can keep track of.
use stm_runtime::prelude::*;

#[gpu_transaction]
fn everything(tx: &mut Tx, data: &Shared<u32>) -> TxResult {
    for i in 0..1_000_000 {
        tx.write(data, i, 0)?;
    }
    Ok(())
}

fn main() {}
