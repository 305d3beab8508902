// A type that nothing decides.
use stm_runtime::prelude::*;

#[gpu_transaction]
fn unknown(tx: &mut Tx) -> TxResult {
    let x;
    let mut y;
    let z = None;
    let (a, b) = (None, 1);
    let list = [];
    Ok(())
}

fn main() {}
