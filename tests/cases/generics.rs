//! A transaction for several types.

use std::ops::Add;

use stm_runtime::prelude::*;

#[gpu_transaction(instantiate(u32, i64))]
pub fn add<T>(tx: &mut Tx, data: &Shared<T>, i: u32, by: T) -> TxResult<T> {
    let old = tx.read(data, i)?;
    tx.write(data, i, old + by)?;
    Ok(old)
}

#[gpu_fn]
pub fn larger<T: PartialOrd + Copy, const N: usize>(list: [T; N]) -> T {
    if list[0] > list[N - 1] { list[0] } else { list[N - 1] }
}

#[gpu_transaction(instantiate((i64, 3)))]
pub fn gather<T, const N: usize>(tx: &mut Tx, data: &Shared<T>, list: [T; N]) -> TxResult {
    tx.write(data, N, larger(list))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, GpuData)]
pub struct Key {
    level: u32,
    score: i32,
}

#[gpu_fn]
impl Add for Key {
    type Output = Key;

    fn add(self, other: Key) -> Key {
        Key { level: self.level.max(other.level), score: self.score + other.score }
    }
}

#[gpu_fn]
pub fn sum_of_greater<T: Copy + Ord + Add<Output = T>>(a: T, b: T) -> T {
    a.max(b) + a
}

#[gpu_transaction]
pub fn keys(tx: &mut Tx, keys: &Shared<Key>, i: u32, by: i32) -> TxResult<i32> {
    let key = tx.read(keys, i)?;
    tx.write(keys, 0, sum_of_greater(key, Key { level: 1, score: 2 }))?;
    Ok(sum_of_greater(key.score, by))
}

#[derive(Debug, Clone, Copy, GpuData)]
pub struct Pair<T> {
    x: T,
    y: T,
}

/// Records of several types, which their fields say.
#[gpu_transaction]
pub fn pairs(tx: &mut Tx, data: &Shared<i64>, i: u32) -> TxResult<i64> {
    let numbers = Pair { x: 1_u32, y: i };
    let truths = Pair { x: numbers.x < numbers.y, y: true };
    let old = tx.read(data, i)?;
    let values = Pair { x: old, y: 4 };
    if truths.x {
        tx.write(data, i, old ^ values.y)?;
    }
    Ok(values.x)
}
