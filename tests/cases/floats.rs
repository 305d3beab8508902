//! Floats: no operator faults, literals keep their bits, negation of a literal is a literal.

use stm_runtime::prelude::*;

#[gpu_transaction]
pub fn single(tx: &mut Tx, data: &Shared<f32>, i: u32, x: f32) -> TxResult {
    let old = tx.read(data, i)?;
    let scaled = old * 0.1 + x / 3.0 - 1e-7;
    tx.write(data, i, -scaled % 2.5)
}

#[gpu_transaction]
pub fn double(tx: &mut Tx, data: &Shared<f64>, i: u32) -> TxResult<f64> {
    let x = tx.read(data, i)?;
    let y = 1.;
    let z = -0.0;
    let mut sum = x + y + z + 16777217e0;
    sum += 3f64;
    tx.guard(sum > 0.25 && x != y)?;
    Ok(sum)
}
