//! Literals take their type from what they meet, from a cast directly around them, or rustc's default.

use stm_runtime::prelude::*;

#[gpu_transaction]
pub fn inferred(tx: &mut Tx, narrow: &Shared<u8>, wide: &Shared<u64>, flag: &Shared<bool>) -> TxResult {
    let late = 7;
    let default = 5;
    let float = 1.5;
    let mut grows = 0;
    grows = grows + tx.read(narrow, default)?;
    tx.write(wide, 1, late)?;
    tx.write(narrow, 2, grows)?;
    tx.write(flag, 3, float < 2.0)
}

#[gpu_transaction]
pub fn cast(tx: &mut Tx, data: &Shared<i64>, x: i64) -> TxResult {
    let a = 200 as u8;
    let b = (-1) as i64;
    let c = 0.1 as f32;
    let d = (1 + 2) as u64;
    let e = -9_223_372_036_854_775_808_i64;
    let f = u64::MAX as f64;
    let g = 1e300 as i32;
    tx.write(data, x, a as i64 + b + c as i64 + d as i64 + e + f as i64 + g as i64 + true as i64)
}

#[gpu_transaction]
pub fn limits(tx: &mut Tx, data: &Shared<i8>) -> TxResult<u32> {
    tx.write(data, 0, -128)?;
    tx.write(data, i8::MAX, i8::MIN)?;
    Ok(u32::MAX - i64::BITS)
}
