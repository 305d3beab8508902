//! Generic records and enums, and functions with parameters for types and lengths.

use stm_runtime::prelude::*;
use stm_tests::{TestResult, expect_eq};

use crate::harness::everywhere;

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

#[gpu_fn]
fn sum<const N: usize>(list: [i32; N]) -> i32 {
    let mut sum = N as i32;
    for k in 0..N {
        sum = sum.wrapping_mul(3) ^ list[k];
    }
    for x in list {
        sum ^= x;
    }
    sum ^ list.iter().fold(1, |a, b| a ^ b)
}

#[gpu_fn]
fn larger<T: PartialOrd + Copy>(a: T, b: T) -> T {
    if a > b { a } else { b }
}

#[gpu_fn]
fn mean<T>(a: T, b: T, two: T) -> T
where
    T: std::ops::Add<Output = T> + std::ops::Div<Output = T> + Copy,
{
    (a + b) / two
}

#[gpu_fn]
fn both<'a, A: Copy, B: Copy, const N: usize>(a: &'a A, b: [B; N]) -> ([A; N], Option<(B, A)>) {
    let mut list = [*a; N];
    list[N - 1] = *a;
    (list, if N > 1 { Some((b[1], *a)) } else { None })
}

#[gpu_fn]
fn filled<T: Copy, const N: usize>(with: T) -> [T; N] {
    [with; N]
}

#[gpu_fn]
fn put<T: Copy, const N: usize>(list: &mut [T; N], at: usize, value: T) -> Option<T> {
    if at >= N {
        return None;
    }
    let old = list[at];
    list[at] = value;
    Some(larger_of(old, value, 2).0)
}

#[gpu_fn]
fn larger_of<T: Copy, U: Copy>(a: T, _b: T, c: U) -> (T, U) {
    (a, c)
}

#[gpu_fn]
fn functions(a: i32, b: i32, c: u8) -> (i32, i32, [u8; 3], Option<(i32, u8)>, u64) {
    let mut list = [a, b, 7];
    let short = sum([a, b]);
    put(&mut list, c as usize % 4, b / 2);
    let most = larger(larger(a, b) / 2, sum(list));
    let (all, pair) = both(&c, list);
    let many: [u64; 4] = filled(c as u64);
    let few = filled::<u16, 2>(9);
    let mean = mean(mean(a / 4, b / 4, 2), 5, 2);
    (short ^ mean, most, all, pair, many[3] + few[1] as u64 + larger(1.5, c as f64) as u64)
}

#[gpu_fn]
fn total<T: std::ops::Add<Output = T> + Copy, const N: usize>(
    tx: &mut Tx,
    cells: &Shared<T>,
    at: [u32; N],
    start: T,
) -> TxResult<T> {
    let mut sum = start;
    for k in at {
        sum = sum + tx.read(cells, k)?;
    }
    Ok(sum)
}

#[gpu_transaction]
fn totals(tx: &mut Tx, small: &Shared<u32>, wide: &Shared<i64>) -> TxResult<(u32, i64)> {
    Ok((total(tx, small, [0, 1], 1)?, total(tx, wide, [1, 0, 1], -1)?))
}

#[test]
fn functions_with_parameters_read_arrays() {
    everywhere("functions with parameters", |environment| -> TestResult {
        let (small, wide) = (environment.shared(&[1_u32, 2])?, environment.shared(&[10_i64, 20])?);
        let mut batch = environment.batch();
        let ticket = batch.push(totals::call(&small, &wide));
        expect_eq!(environment.run_all(&batch)?.outcome(ticket), Outcome::Committed((4, 49)), "the sums");
        Ok(())
    });
}

#[gpu_fn]
fn maps<const N: usize>(list: [i32; N], by: i32) -> [(i32, bool); N] {
    let mut count = 0;
    list.map(|x| {
        count += by;
        (x ^ count, x > by)
    })
}

#[gpu_fn]
fn mapped(a: i32, b: i32) -> ([(i32, bool); 3], [u8; 2], i32) {
    let list = [a, b, 3];
    let halves: [i32; 3] = list.map(|x| x / 2);
    (maps(halves, b), [a, b].map(|x| x as u8), list.map(i32::is_positive).iter().filter(|x| **x).count() as i32)
}

#[gpu_fn]
fn letters(n: u8, least: char) -> (char, [char; 2], Option<char>, u32, bool, u8) {
    const LAST: char = 'z';
    let letter = (b'a' + n % 40) as char;
    let kind = match letter {
        'a' | 'e' => 1,
        'b'..='m' => 2,
        LAST => 3,
        _ => letter as u32,
    };
    let best = if letter > least { letter } else { least };
    let some = if best == '\u{e9}' { None } else { Some(char::from(n)) };
    (best, [letter, LAST], some, kind + u32::from(least), least != letter, letter as u8)
}

/// What has a weight, on the device too.
#[gpu_fn]
trait Weighted {
    const UNIT: i32;
    fn weight(&self, times: i32) -> i32;
    fn grow(&mut self, by: i32);
    fn of(weight: i32) -> Self;
    fn store(self, tx: &mut Tx, weights: &Shared<i32>) -> TxResult<i32>;
    fn twice(&self) -> i32 {
        self.weight(2) + Self::UNIT
    }
    fn most(self, other: Self) -> i32 {
        self.weight(3).max(other.weight(1)) / 2
    }
}

#[derive(Debug, Clone, Copy, PartialEq, GpuData)]
struct Stone(i32);

#[gpu_fn]
impl Weighted for Stone {
    const UNIT: i32 = 3;

    fn weight(&self, times: i32) -> i32 {
        self.0 * times
    }

    fn grow(&mut self, by: i32) {
        let half = by / 2;
        let rest = by - half;
        self.0 += half + rest;
    }

    fn of(weight: i32) -> Self {
        Stone(weight)
    }

    fn store(self, tx: &mut Tx, weights: &Shared<i32>) -> TxResult<i32> {
        tx.write(weights, 0, self.weight(2))?;
        tx.read(weights, 1)
    }
}

#[gpu_fn]
impl<T: Weighted + Copy> Weighted for Pair<T> {
    const UNIT: i32 = 1 + T::UNIT;

    fn weight(&self, times: i32) -> i32 {
        self.first.weight(times) + self.second.weight(1)
    }

    fn grow(&mut self, by: i32) {
        self.first.grow(by);
    }

    fn of(weight: i32) -> Self {
        Self { first: T::of(weight), second: <T as Weighted>::of(Self::UNIT) }
    }

    fn store(self, tx: &mut Tx, weights: &Shared<i32>) -> TxResult<i32> {
        let first = self.first.store(tx, weights)?;
        Ok(first + self.second.store(tx, weights)?)
    }

    fn twice(&self) -> i32 {
        7 - self.first.weight(2)
    }
}

#[gpu_fn]
impl<A: Copy, B: Copy> Pair<A, B> {
    fn new(first: A, second: B) -> Self {
        Self { first, second }
    }

    fn flipped(&self) -> Pair<B, A> {
        Pair::<B, A>::new(self.second, self.first)
    }

    fn set<'a>(&'a mut self, first: A) -> A {
        let old = self.first;
        self.first = first;
        old
    }
}

#[gpu_fn]
impl<T: Copy + PartialEq + std::ops::Add<Output = T>, const N: usize> Ring<T, N> {
    const MOST: usize = N;

    fn put(&mut self, at: usize, value: T) -> usize {
        self.0[at % Self::MOST] = value + value;
        N - at
    }
}

#[gpu_fn]
fn heavier<T: Weighted + Copy, const N: usize>(list: [T; N]) -> T {
    let mut best = list[0];
    for one in list {
        if one.weight(T::UNIT) > best.weight(T::UNIT) {
            best = one;
        }
    }
    best
}

#[gpu_fn]
fn grown<T: Weighted + Copy>(weight: i32, by: i32) -> T {
    let mut it = T::of(weight);
    it.grow(by);
    heavier([it, T::of(by)])
}

#[gpu_fn]
fn front<T: Copy + PartialEq, const N: usize>(ring: &mut Ring<T, N>, value: T) -> Either<T, usize> {
    let old = ring.0[0];
    ring.0[N - 1] = value;
    if old == value { Either::<T, usize>::Right { value: N } } else { Either::<T, usize>::Left(old) }
}

#[gpu_fn]
fn weights(a: i32, b: i32, c: u8) -> (Stone, Pair<Stone>, Either<u8, usize>, i32, (u8, usize)) {
    let stone: Stone = heavier([Stone(a), grown::<Stone>(b, a)]);
    let pair = grown::<Pair<Stone>>(b, 7);
    let most = stone.most(Stone(b)) ^ pair.most(pair) ^ Stone(a).twice();
    let mut ring = Ring::<u8, 3>([c, 3, 4]);
    let mut turned = Pair::<i32, u8>::new(a, c).flipped();
    let old = turned.set(9);
    let free = ring.put(c as usize % 5, old / 2);
    let front = front(&mut ring, 3);
    (stone, pair, front, pair.weight(2) ^ turned.second ^ most, (ring.0[2], free))
}

#[gpu_fn]
fn lighter<T: Weighted + Copy>(one: T, other: T) -> i32 {
    one.weight(1).min(other.weight(T::UNIT))
}

#[gpu_fn]
fn stored<T: Weighted + Copy>(tx: &mut Tx, things: &Shared<T>, weights: &Shared<i32>) -> TxResult<i32> {
    let thing = tx.read(things, 0)?;
    tx.write(things, 1, heavier([thing, T::of(T::UNIT)]))?;
    thing.store(tx, weights)
}

#[gpu_transaction]
fn store(
    tx: &mut Tx,
    stones: &Shared<Stone>,
    pairs: &Shared<Pair<Stone>>,
    weights: &Shared<i32>,
) -> TxResult<(i32, i32)> {
    let stone = tx.read(stones, 0)?;
    Ok((stored(tx, stones, weights)? + lighter(stone, Stone(2)), stored(tx, pairs, weights)?))
}

#[test]
fn methods_of_parameters_use_arrays() {
    everywhere("methods of parameters", |environment| -> TestResult {
        let stones = environment.shared(&[Stone(1), Stone(0)])?;
        let pairs = environment.shared(&[Pair { first: Stone(5), second: Stone(6) }; 2])?;
        let weights = environment.shared(&[0, 4])?;
        let mut batch = environment.batch();
        let ticket = batch.push(store::call(&stones, &pairs, &weights));
        expect_eq!(environment.run_all(&batch)?.outcome(ticket), Outcome::Committed((5, 8)), "what the methods return");
        expect_eq!(stones.to_vec()?[1], Stone(3), "the heavier one");
        expect_eq!((weights.to_vec()?[0], Stone(3).twice()), (12, 9), "the last weight");
        Ok(())
    });
}

same_as_plain! { generic_types_mean_what_they_mean_in_rust:
    records(a: i32, b: u8) -> (Pair<i32>, Pair<u8, bool>, Ring<i32, 3>, i32);
    functions(a: i32, b: i32, c: u8) -> (i32, i32, [u8; 3], Option<(i32, u8)>, u64);
    letters(n: u8, least: char) -> (char, [char; 2], Option<char>, u32, bool, u8);
    mapped(a: i32, b: i32) -> ([(i32, bool); 3], [u8; 2], i32);
    weights(a: i32, b: i32, c: u8) -> (Stone, Pair<Stone>, Either<u8, usize>, i32, (u8, usize));
    with_inner(a: i32, b: i32) -> (i32, Option<i32>);
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

const THREE: usize = 3;

#[gpu_transaction(instantiate((u32, 2), (i64, THREE)))]
fn shift<T: Copy, const N: usize>(tx: &mut Tx, cells: &Shared<T>, by: [T; N]) -> TxResult<[T; N]> {
    let mut old = [by[0]; N];
    for k in 0..N {
        old[k] = tx.read(cells, k)?;
        tx.write(cells, k, by[(k + 1) % N])?;
    }
    match N {
        2 => Ok(old),
        _ => Ok(by),
    }
}

#[test]
fn a_transaction_has_several_parameters() {
    everywhere("transactions with parameters", |environment| -> TestResult {
        let (small, wide) = (environment.shared(&[1_u32, 2])?, environment.shared(&[10_i64, 20, 30])?);
        let mut batch = environment.batch();
        let two = batch.push(shift::<u32, 2>::call(&small, [5, 6]));
        let three = batch.push(shift::call(&wide, [7, 8, 9]));
        let report = environment.run_all(&batch)?;
        expect_eq!(report.outcome(two), Outcome::Committed([1, 2]), "the old values");
        expect_eq!(report.outcome(three), Outcome::Committed([7, 8, 9]), "the new values");
        expect_eq!((small.to_vec()?, wide.to_vec()?), (vec![6, 5], vec![8, 9, 7]), "the arrays");
        Ok(())
    });
}

#[gpu_fn]
fn with_inner(a: i32, b: i32) -> (i32, Option<i32>) {
    const STEP: i32 = 3;
    fn stepped(n: i32) -> i32 {
        twice(n) / STEP
    }
    fn twice(n: i32) -> i32 {
        fn doubled<T: Copy + std::ops::Add<Output = T>>(n: T) -> T {
            n + n
        }
        assert!(doubled(1_u8) == 2);
        doubled(n / 4)
    }
    (stepped(a) ^ twice(b), Some(b).map(stepped))
}
