//! Ranges backwards and in steps.

use stm_runtime::prelude::*;

#[gpu_transaction]
pub fn backwards(tx: &mut Tx, data: &Shared<u32>) -> TxResult<u32> {
    let mut digits = 0;
    for k in (0..4_u32).rev() {
        digits = digits * 10 + tx.read(data, k)?;
    }
    Ok(digits)
}

#[gpu_transaction]
pub fn steps(tx: &mut Tx, data: &Shared<u32>, n: u8, step: usize) -> TxResult<u32> {
    let mut digits = 0_u32;
    for k in (n..=u8::MAX).step_by(step) {
        digits = digits.wrapping_mul(10) + k as u32 % 10;
    }
    for k in (0..6).step_by(4).rev() {
        digits += tx.read(data, k)?;
    }
    Ok(digits)
}
