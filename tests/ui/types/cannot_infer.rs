// A type that nothing decides.
use stm_runtime::prelude::*;

#[gpu_transaction]
fn unknown(tx: &mut Tx) -> TxResult {
    let x;
    let mut y;
    Ok(())
}

fn main() {}
