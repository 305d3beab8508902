//! Methods of scalars: on the device they are functions of the prelude.

use stm_runtime::prelude::*;

#[gpu_transaction(overflow = "check")]
pub fn integers(tx: &mut Tx, data: &Shared<i32>, a: i32, b: i32) -> TxResult<u32> {
    let sum = a.wrapping_add(b).saturating_mul(3).max(-7);
    let (low, over) = a.overflowing_sub(b);
    let root = match a.checked_add(b) {
        Some(x) => x.abs(),
        None => low,
    };
    tx.write(data, 0, if over { root } else { sum.rem_euclid(b) })?;
    Ok(a.abs_diff(b).count_ones() + u32::from(over))
}

#[gpu_transaction]
pub fn floats(tx: &mut Tx, data: &Shared<f32>, x: f32, y: f32) -> TxResult<u32> {
    let z = x.mul_add(y, 0.5).abs().sqrt().floor();
    tx.write(data, 0, if z.is_nan() { 1.0 } else { z.min(y) })?;
    Ok(z.to_bits())
}
