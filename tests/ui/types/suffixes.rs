// A suffix is advised for a literal alone, and only where it makes a value.
use stm_runtime::prelude::*;

#[gpu_transaction]
fn suffixes(tx: &mut Tx, a: u32, c: u64) -> TxResult {
    let x: u32 = c / 2 as u64;
    let y: u32 = 97.max(5_i32);
    let z: u32 = 97_i32;
    let w = 1e400;
    let v: f32 = 1e300;
    Ok(())
}

fn main() {}
