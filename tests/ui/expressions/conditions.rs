// Branches give one type, and conditions are booleans.
use stm_runtime::prelude::*;

#[gpu_transaction]
fn conditions(tx: &mut Tx, data: &Shared<u32>, x: u32, wide: u64) -> TxResult {
    let a = if x { 1 } else { 2 };
    let b = if x > 1 { x } else { wide };
    let c = if x > 1 { x };
    let d = match x {
        0 => x,
        1 => wide,
        _ => {}
    };
    while x {}
    let e = x > 1 && x;
    let f = !(x > 1) as bool;
    Ok(())
}

fn main() {}
