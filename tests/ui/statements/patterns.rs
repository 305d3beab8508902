// One name for each `let`.
use stm_runtime::prelude::*;

#[gpu_transaction]
fn patterns(tx: &mut Tx, x: u32) -> TxResult {
    let (a, b) = (1, 2);
    let ref c = x;
    let d @ 3 = x else { return Ok(()) };
    Ok(())
}

fn main() {}
