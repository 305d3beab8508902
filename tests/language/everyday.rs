//! What new users write soon: slices as parameters, closures with names, `mem::swap`, `try_into`, the order of tuples, elements of array fields.

use std::mem;

use stm_runtime::prelude::*;
use stm_tests::{TestResult, expect_eq};

use crate::harness::{everywhere, same_as_plain};

#[gpu_fn]
fn total(list: &[u32], by: &mut [u32]) -> u32 {
    let mut sum = 0_u32;
    for x in list {
        sum = sum.wrapping_add(*x) ^ x & 7;
    }
    by[list.len() % 2] += sum % 5;
    sum ^ list.iter().copied().fold(0, u32::max) ^ by.len() as u32
}

#[gpu_fn]
fn slices(list: [u32; 5], short: [u32; 2]) -> (u32, [u32; 2], [u32; 3]) {
    let (mut two, mut three) = (short, [1, 2, 3]);
    let sum = total(&list, &mut two).wrapping_add(total(&short, &mut three));
    (sum.wrapping_add(total(&[7; 3], &mut two)), two, three)
}

#[gpu_fn]
fn closures(a: u32, b: u32) -> (u32, u64) {
    let scale = 3 + a % 5;
    let scaled = |x: u32| x % 1000 * scale;
    let between = |x: u32, least: u32| -> bool { scaled(x) > least && x < b };
    let wide = |(x, y): (u32, u64)| y / (x as u64 % 7);
    let mut count = 0;
    let mut add = |by: u32| count += by;
    add(if between(a, b % 100) { scaled(b) } else { 1 });
    add(scaled(2));
    (count, wide((b, scaled(a) as u64)))
}

#[gpu_fn]
fn swapped(list: [i32; 3], at: usize, other: i32) -> (i32, i32, [i32; 3]) {
    let (mut list, mut x) = (list, other);
    mem::swap(&mut list[at % 4], &mut x);
    let mut pair = (list[0], 4);
    std::mem::swap(&mut pair.0, &mut pair.1);
    list[0] = pair.0.wrapping_sub(pair.1);
    list.sort_by_key(|x| x.wrapping_abs() % 5);
    let old = mem::replace(&mut list[1], x ^ 1);
    (old, x, list)
}

#[gpu_fn]
fn converted(a: u32, b: i64) -> (u8, Option<i16>, u64) {
    let byte: u8 = a.try_into().unwrap_or(9);
    let short: Option<i16> = b.try_into().ok();
    let long: u64 = b.try_into().unwrap();
    (byte, short, long)
}

#[gpu_fn]
fn ordered(a: (u8, i32), b: (u8, i32), c: (f32, (bool, u8)), d: (f32, (bool, u8))) -> [bool; 8] {
    [a < b, a <= b, a > b, a >= b, c < d, c <= d, c > d, c >= d]
}

same_as_plain! { everyday_code_means_what_it_means_in_rust:
    slices(list: [u32; 5], short: [u32; 2]) -> (u32, [u32; 2], [u32; 3]);
    closures(a: u32, b: u32) -> (u32, u64);
    swapped(list: [i32; 3], at: usize, other: i32) -> (i32, i32, [i32; 3]);
    converted(a: u32, b: i64) -> (u8, Option<i16>, u64);
    ordered(a: (u8, i32), b: (u8, i32), c: (f32, (bool, u8)), d: (f32, (bool, u8))) -> [bool; 8];
}

#[derive(Debug, Clone, Copy, PartialEq, GpuData)]
struct Row {
    name: u8,
    grid: [[u32; 3]; 2],
}

#[gpu_fn]
fn bumped(tx: &mut Tx, cells: &Shared<u32>, at: u32) -> TxResult<u32> {
    tx.update(cells, at, |old| old + cells.len() as u32)?;
    tx.read(cells, at)
}

#[gpu_transaction]
fn shift(tx: &mut Tx, rows: &Shared<Row>, at: u32) -> TxResult<[u32; 3]> {
    tx.update(&rows.name, at, |old| old + (0..2).any(|k| k > old) as u8)?;
    let new = bumped(tx, &rows.grid[1][2], at)?;
    tx.write(&rows.grid[0], at, [new, 7, 8])?;
    tx.read(&rows.grid[1], at)
}

#[test]
fn elements_of_array_fields_are_arrays() {
    everywhere("elements of array fields", |environment| -> TestResult {
        let row = |name| Row { name, grid: [[1, 2, 3], [4, 5, 6]] };
        let rows = environment.shared(&[row(1), row(2)])?;
        let mut batch = environment.batch();
        let ticket = batch.push(shift::call(&rows, 1));
        expect_eq!(environment.run_all(&batch)?.outcome(ticket), Outcome::Committed([4, 5, 8]), "the outcome");
        expect_eq!(rows.to_vec()?, [row(1), Row { name: 2, grid: [[8, 7, 8], [4, 5, 8]] }], "the rows");
        Ok(())
    });
}
