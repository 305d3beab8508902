// An array has elements of one type and a constant length.
use stm_runtime::prelude::*;

#[gpu_transaction]
fn elements(tx: &mut Tx, x: u32, wide: u64, n: usize) -> TxResult {
    let a = [x, wide];
    let b = [x; n];
    let c: [u32; 3] = [1, 2];
    let d: [u8; 2] = [1, 300];
    let e = [];
    let f: [u32; 2] = [1.5, 2.5];
    let mut g = [0_u32; 4];
    g[0] = wide;
    g[1] += 1_u8;
    Ok(())
}

fn main() {}
