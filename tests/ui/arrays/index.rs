// An array is indexed by `usize`, and nothing else is indexed.
use stm_runtime::prelude::*;

#[gpu_transaction]
fn index(tx: &mut Tx, list: [u32; 4], pair: (u32, u32), x: u32, maybe: Option<u32>) -> TxResult {
    let a = list[x];
    let b = list[-1];
    let c = list[1.0];
    let d = x[0];
    let e = pair[0];
    let f = maybe[0];
    let g = list[1..3];
    let mut h = list;
    h[x] = 1;
    x[0] = 1;
    Ok(())
}

fn main() {}
