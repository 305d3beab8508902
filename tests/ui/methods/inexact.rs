// Functions whose last bits differ between machines have no place where CPU and GPU have to agree.
use stm_runtime::prelude::*;

#[gpu_transaction]
fn inexact(tx: &mut Tx, f: f64, g: f32) -> TxResult {
    let a = f.sin();
    let b = f.powf(2.0);
    let c = g.ln();
    let d = f64::exp(f);
    let e = g.mul_add(g, g).tanh();
    Ok(())
}

fn main() {}
