// `From` is for conversions that lose nothing.
use stm_runtime::prelude::*;

#[gpu_transaction]
fn conversions(tx: &mut Tx, x: u32, wide: u64, signed: i32, f: f64) -> TxResult {
    let a = u32::from(wide);
    let b = i32::from(x);
    let c = u64::from(signed);
    let d = f32::from(f);
    let e = f32::from(x);
    let g = u32::try_from(wide);
    Ok(())
}

fn main() {}
