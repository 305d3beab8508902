// Methods take what Rust's take.
use stm_runtime::prelude::*;

#[gpu_transaction]
fn arguments(tx: &mut Tx, x: u32, wide: u64, f: f64) -> TxResult {
    let a = x.pow();
    let b = x.pow(2, 3);
    let c = x.pow(wide);
    let d = x.wrapping_add(wide);
    let e = x.max(f);
    let g = f.max(1);
    let h = u32::max(x);
    let i = u32::max(wide, x);
    let j = f32::from_bits(wide);
    let k = x.min::<u32>(1);
    let l = x.clamp(1);
    Ok(())
}

fn main() {}
