//! Iterators, which become loops; closures, which are written out in them.

use stm_runtime::prelude::*;

/// Selects, pairs and numbers elements; ends with a sum and with a position.
#[gpu_transaction]
pub fn weigh(
    tx: &mut Tx,
    data: &Shared<u32>,
    places: [u8; 4],
    weights: [u32; 3],
    most: u32,
) -> TxResult<Option<usize>> {
    let mut sum = 0_u32;
    for (k, (at, weight)) in places.iter().skip(1).zip(weights.iter().rev()).enumerate() {
        let value = tx.read(data, *at)?;
        sum = sum.wrapping_add(value.wrapping_mul(*weight) ^ k as u32);
    }
    let total: u32 = weights.iter().map(|weight| weight % 16).filter(|weight| *weight != most).sum();
    tx.write(data, 0, sum.wrapping_add(total))?;
    Ok(places.iter().chain(&[9, 9]).position(|at| u32::from(*at) > most))
}

/// Changes elements in place, and follows `Option`s.
#[gpu_transaction]
pub fn halve(tx: &mut Tx, data: &Shared<u32>, list: [u32; 5], maybe: Option<u32>) -> TxResult<u32> {
    let mut list = list;
    for x in list.iter_mut().take(3) {
        *x /= 2;
    }
    list.swap(0, 4);
    let [first, .., last] = list;
    let found = maybe.filter(|x| *x > first).map_or(last, |x| x / 2);
    tx.update(data, 0, |old| old.max(found))?;
    Ok(list.iter().fold(0, |sum, x| sum ^ x))
}

/// Takes elements backwards, pairs them with selected ones, and changes the values in an array of `Option`s.
#[gpu_transaction]
pub fn pair_up(tx: &mut Tx, data: &Shared<u32>, maybe: [Option<u32>; 3], list: [u32; 6], n: u8) -> TxResult<u32> {
    let mut maybe = maybe;
    for x in maybe.iter_mut().flatten() {
        *x ^= 5;
    }
    let n = usize::from(n % 4);
    let first = list.iter().skip(1).step_by(2).rev().zip((0..n as u32).rev()).fold(0, |sum, (x, k)| sum ^ x ^ k);
    let second = list.iter().zip(list.iter().filter(|x| **x % 2 == 0).chain(&[7])).count();
    tx.update(data, 0, |old| old ^ first)?;
    Ok(maybe.iter().flatten().fold(second as u32, |sum, x| sum ^ x))
}
