// An `Option` has one value, of a type that can be found.
use stm_runtime::prelude::*;

#[gpu_transaction]
fn values(tx: &mut Tx, maybe: Option<u32>, x: u32, wide: u64) -> TxResult {
    let a = Some();
    let b = Some(x, x);
    let c: Option<u32> = Some(wide);
    let d: u32 = maybe;
    let e = maybe + 1;
    let f = maybe == x;
    let g = maybe < maybe;
    Ok(())
}

#[gpu_transaction]
fn unknown(tx: &mut Tx) -> TxResult {
    let nothing = None;
    Ok(())
}

fn main() {}
