//! Generic records and enums, and functions with parameters for types and lengths.

use stm_runtime::prelude::*;
use stm_tests::{TestResult, expect_eq};

use crate::harness::{everywhere, same_as_plain};

#[derive(Debug, Clone, Copy, PartialEq, GpuData)]
pub(crate) struct Pair<A, B = A> {
    first: A,
    second: B,
}

#[derive(Debug, Clone, Copy, PartialEq, GpuData)]
struct Ring<T: Copy, const N: usize>([T; N])
where
    T: PartialEq;

#[derive(Debug, Clone, Copy, PartialEq, GpuData)]
enum Either<L, R> {
    Left(L),
    Right { value: R },
    Neither,
}

#[gpu_fn]
impl Pair<i32> {
    const ZERO: Self = Self { first: 0, second: 0 };

    fn sum(&self) -> i32 {
        self.first ^ self.second
    }

    fn turned(self) -> Self {
        Self { first: self.second, ..self }
    }
}

#[gpu_fn]
impl Pair<u8, bool> {
    fn sum(&self) -> i32 {
        self.first as i32
    }
}

#[gpu_fn]
fn records(a: i32, b: u8) -> (Pair<i32>, Pair<u8, bool>, Ring<i32, 3>, i32) {
    let pair: Pair<i32> = Pair::<i32> { first: a, second: 4 };
    let other = Pair::<u8, bool> { first: b, second: true };
    let mut ring = Ring([a, 2, pair.turned().first]);
    ring.0[1] = Pair::<i32>::ZERO.sum();
    let Ring([_, _, last]) = ring;
    (pair.turned(), other, ring, pair.sum() ^ other.sum() ^ last)
}

#[gpu_fn]
fn choices(a: i32, b: u8) -> (Either<i32, (u8, bool)>, i32) {
    let it: Either<i32, (u8, bool)> = match b % 3 {
        0 => Either::Left(a),
        1 => Either::Right { value: (b, a > 0) },
        _ => Either::Neither,
    };
    let sum = match it {
        Either::Left(n) => n,
        Either::Right { value: (n, true) } => n as i32,
        Either::Right { .. } | Either::Neither => -1,
    };
    (if sum == -1 { Either::Left(7) } else { it }, sum)
}

same_as_plain! { generic_types_mean_what_they_mean_in_rust:
    records(a: i32, b: u8) -> (Pair<i32>, Pair<u8, bool>, Ring<i32, 3>, i32);
    choices(a: i32, b: u8) -> (Either<i32, (u8, bool)>, i32);
}

#[gpu_transaction]
fn exchange(tx: &mut Tx, pairs: &Shared<Pair<u32, i64>>, at: u32) -> TxResult<u32> {
    let pair = tx.read(pairs, at)?;
    tx.update(&pairs.second, at, |old| old + pair.first as i64)?;
    tx.write(&pairs.first, at, 9)?;
    Ok(pair.first)
}

#[test]
fn arrays_of_generic_records_have_arrays_of_fields() {
    everywhere("generic records in arrays", |environment| -> TestResult {
        let pairs = environment.shared(&[Pair { first: 1_u32, second: -2_i64 }; 2])?;
        let mut batch = environment.batch();
        let ticket = batch.push(exchange::call(&pairs, 1));
        let report = environment.run_all(&batch)?;
        expect_eq!(report.outcome(ticket), Outcome::Committed(1), "the old one");
        expect_eq!(pairs.to_vec()?[1], Pair { first: 9, second: -1 }, "the new one");
        Ok(())
    });
}
