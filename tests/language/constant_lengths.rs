//! Arrays whose lengths are constants, passed to functions that have a parameter for the type.

use stm_runtime::prelude::*;

const N: usize = 3;
const BLOCK: usize = 16;

#[gpu_fn]
trait Vector {
    fn dot(&self, other: &Self) -> i64;
    fn is_zero(&self) -> bool;
}

#[gpu_fn]
impl Vector for [i64; N] {
    fn dot(&self, other: &[i64; N]) -> i64 {
        self.iter().zip(other.iter()).fold(0_i64, |sum, (a, b)| sum.wrapping_add(a.wrapping_mul(*b)))
    }

    fn is_zero(&self) -> bool {
        self.iter().all(|x| *x == 0)
    }
}

#[gpu_fn]
fn row_times<V: Vector>(row: &V, column: &V) -> i64 {
    if row.is_zero() { 0 } else { row.dot(column) }
}

#[gpu_fn]
fn times(rows: [[i64; N]; N], vector: [i64; N]) -> [i64; N] {
    std::array::from_fn(|k| row_times(&rows[k], &vector))
}

#[gpu_fn]
fn made(a: i64, b: i64) -> i64 {
    let first = [a; N];
    let second: [i64; N] = std::array::from_fn(|k| b ^ k as i64);
    row_times(&first, &second)
}

#[gpu_fn]
trait Digest: Copy {
    fn words(&self) -> [u64; 2];

    fn digest(&self, key: u64) -> u64 {
        let [low, high] = self.words();
        (low ^ key).wrapping_mul(high | 1)
    }
}

#[gpu_fn]
impl Digest for [u8; BLOCK] {
    fn words(&self) -> [u64; 2] {
        [u64::from_le_bytes(self[..8].try_into().unwrap()), u64::from_be_bytes(self[8..].try_into().unwrap())]
    }
}

#[gpu_fn]
impl Digest for (u64, i64) {
    fn words(&self) -> [u64; 2] {
        [self.0, self.1.cast_unsigned()]
    }
}

#[gpu_fn]
impl Digest for [(u64, i64); N] {
    fn words(&self) -> [u64; 2] {
        [self[0].0, self[2].digest(1)]
    }
}

#[gpu_fn]
fn sum_of<D: Digest>(one: D, key: u64, sum: u64) -> u64 {
    sum.wrapping_add(one.digest(key))
}

#[gpu_fn]
fn twice<D: Digest, const M: usize>(all: [D; M], key: u64) -> u64 {
    all.iter().fold(key, |sum, one| sum_of(*one, key, sum))
}

#[gpu_fn]
fn digests(number: u64, other: i64) -> (u64, u64, u64) {
    let block: [u8; BLOCK] = std::array::from_fn(|j| (number >> (j % 8)) as u8 ^ j as u8);
    let with_block = sum_of(block, number, 7);
    let pairs = [(number, other); N];
    (sum_of((number, -1_i64), 0, with_block), sum_of(pairs, number, 1), twice([block, [1; BLOCK]], 5))
}

same_as_plain! { arrays_of_constant_lengths_are_passed:
    times(rows: [[i64; N]; N], vector: [i64; N]) -> [i64; N];
    made(a: i64, b: i64) -> i64;
    digests(number: u64, other: i64) -> (u64, u64, u64);
}
