//! `i128` and `u128`: values that the device holds in two words.

use stm_runtime::prelude::*;
use stm_tests::{TestResult, expect_eq};

use crate::harness::everywhere;

const PRIME: u128 = 170_141_183_460_469_231_731_687_303_715_884_105_727;
const LEAST: i128 = i128::MIN;
const BOTH: [(u128, i8); 2] = [(u128::MAX - 1, -1), (1 << 64, 2)];

#[gpu_fn]
fn product(a: u64, b: u64, m: u64) -> u64 {
    (a as u128 * b as u128 % m as u128) as u64
}

#[gpu_fn]
fn mixed(a: u128, b: u128, by: u32) -> [u128; 9] {
    let low = a & 0xffff_ffff_ffff_ffff;
    let high = b >> 64;
    [a ^ b, a | b, !a, low * high, a >> (by % 128), low << (by % 64), b / (a % 1000 + 1), a % (b | 1), low + high]
}

#[gpu_fn]
fn signed(a: i128, b: i128, by: u8) -> [i128; 7] {
    let (small, other) = (a >> 70, b % 1_000_000_007);
    [-small, small * other, other - small, a / (other * other + 1), b % -7, a >> (by % 128), small << (by % 60)]
}

#[gpu_fn]
fn faulty(a: u128, b: u128, c: i128, d: i128, which: u8) -> (u128, i128) {
    match which % 10 {
        0 => (a + b, 0),
        1 => (a - b, 0),
        2 => (a * b, 0),
        3 => (a / (b >> 64), 0),
        4 => (a % b.wrapping_add(1), 0),
        5 => (0, c + d),
        6 => (0, c - d),
        7 => (0, c * d),
        8 => (a << (b & 255), -c),
        _ => (a.pow(b as u32 % 9), c / d),
    }
}

#[gpu_fn]
fn compared(a: u128, b: u128, c: i128, d: i128) -> [bool; 9] {
    [a < b, a <= b, a == b, c > d, c >= d, c != d, (a, c) < (b, d), [c, d] == [d, c], Some(a) == Some(b)]
}

#[gpu_fn]
fn cast_down(a: u128, b: i128) -> ((u8, i16, u32, i64, usize), (i8, u16, i32, u64, isize), [f64; 2], [f32; 2]) {
    (
        (a as u8, a as i16, a as u32, a as i64, a as usize),
        (b as i8, b as u16, b as i32, b as u64, b as isize),
        [a as f64, b as f64],
        [a as f32, b as f32],
    )
}

#[gpu_fn]
fn cast_up(a: u8, b: i16, c: u64, d: i64, e: f64, f: f32, g: bool) -> ([u128; 8], [i128; 8]) {
    let huge = e * 1e37;
    let whole = u128::from(a) + u128::from(c) + u128::from(g);
    let below = i128::from(b) + i128::from(d) + i128::from(c);
    (
        [whole, b as u128, d as u128, e as u128, f as u128, g as u128, huge as u128, 'x' as u128],
        [below, a as i128, c as i128, e as i128, f as i128, g as i128, huge as i128, -1],
    )
}

#[gpu_fn]
fn counted(a: u128, b: i128, n: u32) -> ([u32; 12], [u128; 8], [i128; 5]) {
    (
        [
            a.count_ones(),
            b.count_zeros(),
            a.leading_zeros(),
            b.leading_ones(),
            a.trailing_zeros(),
            b.trailing_ones(),
            b.leading_zeros(),
            a.trailing_ones(),
            (a | 1).ilog2(),
            (a | 1).ilog10(),
            (a | 1).ilog(3),
            u128::BITS,
        ],
        [
            a.swap_bytes(),
            a.reverse_bits(),
            a.rotate_left(n),
            a.isqrt(),
            b.unsigned_abs(),
            b.abs_diff(7),
            a.wrapping_shl(n),
            a.unbounded_shr(n % 200),
        ],
        [b.swap_bytes(), b.rotate_right(n), b.wrapping_shr(n), b.signum(), a.cast_signed()],
    )
}

#[gpu_fn]
fn methods(a: u128, b: u128, c: i128, d: i128, n: u32) -> ([u128; 12], [i128; 12]) {
    (
        [
            a.wrapping_add(b),
            a.wrapping_mul(b),
            a.saturating_sub(b),
            a.saturating_mul(b),
            a.saturating_pow(n % 9),
            a.midpoint(b),
            a.min(b).max(3),
            a.clamp(5, 1 << 100),
            a.wrapping_add_signed(d),
            a.saturating_add_signed(d),
            (a >> 70).div_ceil(b | 1),
            (a >> 70).next_multiple_of(b % 1000 + 1),
        ],
        [
            c.wrapping_sub(d),
            c.wrapping_mul(d),
            c.saturating_add(d),
            c.saturating_mul(d),
            c.wrapping_pow(n % 9),
            c.midpoint(d),
            c.wrapping_neg(),
            c.saturating_abs(),
            c.wrapping_sub_unsigned(b),
            c.saturating_add_unsigned(b),
            c.div_euclid(d % 9 * 2 + 1),
            c.rem_euclid(d % 9 * 2 + 1),
        ],
    )
}

#[gpu_fn]
fn options(a: u128, b: u128, c: i128, d: i128, n: u32) -> ([Option<u128>; 6], [Option<i128>; 6], [(i128, bool); 4]) {
    (
        [
            a.checked_add(b),
            a.checked_mul(b),
            a.checked_rem(b),
            a.checked_pow(n % 9),
            a.checked_next_power_of_two(),
            a.checked_add_signed(d),
        ],
        [
            c.checked_sub(d),
            c.checked_mul(d),
            c.checked_div(d),
            c.checked_shl(n % 200),
            c.checked_isqrt(),
            c.checked_sub_unsigned(b),
        ],
        [c.overflowing_add(d), c.overflowing_mul(d), c.overflowing_abs(), c.overflowing_pow(n % 9)],
    )
}

#[derive(Debug, Clone, Copy, PartialEq, GpuData)]
struct Sum {
    total: i128,
    parts: [u128; 2],
    last: Option<u128>,
}

#[gpu_fn]
impl Sum {
    fn add(&mut self, by: u128) {
        self.total = self.total.wrapping_add(by as i128);
        self.parts[by as usize % 2] ^= by;
        self.last = Some(by);
    }
}

#[gpu_fn]
fn records(mut sum: Sum, mut list: [u128; 3], at: usize) -> (Sum, [u128; 3], u128) {
    sum.add(list[at % 3]);
    let rest = match sum.last {
        Some(0..=5) => 1,
        Some(0xffff_ffff_ffff_ffff_0000) => 2,
        Some(other) if other > PRIME => BOTH[at % 2].0,
        Some(other) => other / 3,
        None => 7,
    };
    for value in list.iter_mut() {
        *value = value.wrapping_mul(*value);
    }
    list.sort_unstable();
    (sum, list, rest.wrapping_add(LEAST as u128))
}

#[gpu_fn]
fn converted(a: u128, b: i128) -> (Option<u64>, Option<i64>, [u8; 16], u128, Option<u128>) {
    let bytes = a.to_be_bytes();
    (u64::try_from(a).ok(), i64::try_from(b).ok(), bytes, u128::from_le_bytes(bytes), b.try_into().ok())
}

same_as_plain! { wide_integers_mean_what_they_mean_in_rust:
    product(a: u64, b: u64, m: u64) -> u64;
    mixed(a: u128, b: u128, by: u32) -> [u128; 9];
    signed(a: i128, b: i128, by: u8) -> [i128; 7];
    faulty(a: u128, b: u128, c: i128, d: i128, which: u8) -> (u128, i128);
    compared(a: u128, b: u128, c: i128, d: i128) -> [bool; 9];
    cast_down(a: u128, b: i128) -> ((u8, i16, u32, i64, usize), (i8, u16, i32, u64, isize), [f64; 2], [f32; 2]);
    cast_up(a: u8, b: i16, c: u64, d: i64, e: f64, f: f32, g: bool) -> ([u128; 8], [i128; 8]);
    counted(a: u128, b: i128, n: u32) -> ([u32; 12], [u128; 8], [i128; 5]);
    methods(a: u128, b: u128, c: i128, d: i128, n: u32) -> ([u128; 12], [i128; 12]);
    options(a: u128, b: u128, c: i128, d: i128, n: u32) -> ([Option<u128>; 6], [Option<i128>; 6], [(i128, bool); 4]);
    records(sum: Sum, list: [u128; 3], at: usize) -> (Sum, [u128; 3], u128);
    converted(a: u128, b: i128) -> (Option<u64>, Option<i64>, [u8; 16], u128, Option<u128>);
}

#[gpu_transaction]
fn moved(tx: &mut Tx, from: &Shared<u128>, sums: &Shared<Sum>, at: u32, by: u128) -> TxResult<u128> {
    tx.update(from, at, |old| old - by)?;
    let mut sum = tx.read(sums, 0)?;
    sum.add(by);
    tx.write(sums, 0, sum)?;
    tx.update(&sums.total, 1, |total| total - by as i128)?;
    tx.read(from, at)
}

/// Elements are two words under one lock: sums carry from the low word to the high one, however many transactions add.
#[test]
fn elements_are_whole() {
    everywhere("elements_are_whole", |environment| -> TestResult {
        const MANY: u128 = 50;
        let by = u128::from(u64::MAX) - 3;
        let from = environment.shared(&[MANY * by + 5, 1_u128 << 100])?;
        let none = Sum { total: 0, parts: [0; 2], last: None };
        let sums = environment.shared(&[none; 2])?;
        let mut batch = environment.batch();
        for _ in 0..MANY {
            batch.push(moved::call(&from, &sums, 0, by));
        }
        batch.push(moved::call(&from, &sums, 0, by));
        let report = environment.run(&batch)?;
        expect_eq!(report.faulted, 1, "faults");
        expect_eq!(from.to_vec()?, [5, 1 << 100], "what is left");
        let all = (MANY * by) as i128;
        expect_eq!(sums.read_range(0..1)?, [Sum { total: all, parts: [0; 2], last: Some(by) }], "records");
        expect_eq!(sums.total.to_vec()?, [all, -all], "sums");
        from.fill(u128::MAX)?;
        expect_eq!(from.read_range(1..)?, [u128::MAX], "filled");
        Ok(())
    });
}
