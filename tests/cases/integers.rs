//! Every operator of integers, at several widths; compound assignment; the modes of overflow.

use stm_runtime::prelude::*;

#[gpu_transaction(overflow = "check")]
pub fn checked(tx: &mut Tx, data: &Shared<i32>, a: i32, b: i32, s: u8) -> TxResult {
    let sum = a + b - 1;
    let product = -sum * b / 3 % 7;
    let bits = (product & 0xff | a ^ b) << s >> 1_i64;
    tx.write(data, 0, !bits)
}

#[gpu_transaction(overflow = "wrap")]
pub fn wrapped(tx: &mut Tx, data: &Shared<u8>, mut x: u8) -> TxResult {
    x += 1;
    x -= 2;
    x *= 3;
    x /= 4;
    x %= 5;
    x <<= 1;
    x >>= 2_usize;
    x &= 0x0f;
    x |= 0b1000_0000;
    x ^= b'a';
    tx.write(data, 0, x)
}

#[gpu_transaction]
pub fn wide(tx: &mut Tx, data: &Shared<isize>, i: usize, x: isize, y: u64) -> TxResult<u64> {
    let old = tx.read(data, i)?;
    tx.write(data, i, old + x)?;
    Ok(y * 2)
}

#[gpu_transaction(overflow = "check")]
pub fn both_words(tx: &mut Tx, sums: &Shared<u128>, at: u32, a: u64, by: i128) -> TxResult<i128> {
    let sum = tx.read(sums, at)? + a as u128 * 1_000_000_007;
    tx.write(sums, at, sum % (u128::MAX - 158))?;
    let mut left = by;
    for k in (0..3_i128).rev() {
        left -= k;
    }
    Ok(left / 3 + (by as f64 * 0.5) as i128 + left.leading_zeros() as i128)
}
