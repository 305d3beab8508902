//! Several arrays of different element types in one transaction.

use stm_runtime::prelude::*;

/// Adds one everywhere and flips the switch, in the arithmetic of each type.
#[gpu_transaction(overflow = "wrap")]
#[allow(clippy::too_many_arguments)]
pub fn mixed(
    tx: &mut Tx,
    wide: &Shared<i64>,
    narrow: &Shared<u32>,
    short: &Shared<i16>,
    byte: &Shared<u8>,
    single: &Shared<f32>,
    double: &Shared<f64>,
    switch: &Shared<bool>,
    at: u32,
) -> TxResult<f64> {
    let a = tx.read(wide, at)?;
    tx.write(wide, at, a - 1)?;
    let b = tx.read(narrow, at)?;
    tx.write(narrow, at, b + 1)?;
    let c = tx.read(short, at)?;
    tx.write(short, at, c - 1)?;
    let d = tx.read(byte, at)?;
    tx.write(byte, at, d + 1)?;
    let e = tx.read(single, at)?;
    tx.write(single, at, e + 0.5)?;
    let f = tx.read(double, at)?;
    tx.write(double, at, f - 0.25)?;
    let g = tx.read(switch, at)?;
    tx.write(switch, at, !g)?;
    Ok(f)
}

/// Copies between types.
#[gpu_transaction]
pub fn convert(tx: &mut Tx, from: &Shared<i64>, to: &Shared<u8>, back: &Shared<f32>, at: u32) -> TxResult<u8> {
    let value = tx.read(from, at)?;
    tx.write(to, at, value as u8)?;
    tx.write(back, at, value as f32)?;
    Ok(value as u8)
}
