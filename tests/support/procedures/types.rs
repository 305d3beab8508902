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

/// Adds once the flag is up, from arguments of one byte each.
#[gpu_transaction]
pub fn add_bytes(
    tx: &mut Tx,
    sums: &Shared<i64>,
    flags: &Shared<u32>,
    at: u8,
    by: i8,
    is_double: bool,
) -> TxResult<i64> {
    let flag = tx.read(flags, 0)?;
    tx.guard(flag == 1)?;
    let more = if is_double { 2 * i64::from(by) } else { i64::from(by) };
    let sum = tx.read(sums, at)?;
    tx.write(sums, at, sum + more)?;
    Ok(more)
}

/// Adds from arguments of two bytes each.
#[gpu_transaction]
pub fn add_short(tx: &mut Tx, sums: &Shared<i64>, at: u16, by: i16) -> TxResult<i64> {
    let sum = tx.read(sums, at)?;
    tx.write(sums, at, sum + i64::from(by))?;
    Ok(i64::from(by))
}

/// Adds from arguments of eight bytes and of four.
#[gpu_transaction]
pub fn add_wide(tx: &mut Tx, sums: &Shared<i64>, by: i64, at: u32) -> TxResult<i64> {
    let sum = tx.read(sums, at)?;
    tx.write(sums, at, sum + by)?;
    Ok(by)
}
