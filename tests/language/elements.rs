//! Loops over the elements of arrays: values and references, enumerated, and reversed.

use stm_runtime::prelude::*;
use stm_tests::expect_eq;

use crate::harness::{Bench, End, everywhere};
use crate::values::Point;

const TRANSACTIONS: usize = 3;
const PLACES: [u32; 4] = [3, 5, 0, 9];

/// Loops over arrays of every origin: a literal, a variable, a parameter, a constant, a field, an element, a call.
#[gpu_fn]
fn origins(list: [i32; TRANSACTIONS], grid: [[i16; 2]; 2], pair: ([u8; 2], bool), at: usize) -> [i64; 7] {
    let mut sums = [0_i64; 7];
    for x in [1, 5, 2] {
        sums[0] = sums[0] * 10 + x;
    }
    let copy = list;
    for x in copy {
        sums[1] = sums[1] / 2 + x as i64;
    }
    for x in list {
        sums[2] = sums[2] / 2 - x as i64;
    }
    for x in PLACES {
        sums[3] = sums[3] * 10 + x as i64;
    }
    for x in pair.0 {
        sums[4] = sums[4] * 2 + x as i64;
    }
    for x in grid[at] {
        sums[5] = sums[5] / 4 + x as i64;
    }
    for x in halves(list) {
        sums[6] = sums[6] / 2 + x as i64;
    }
    sums
}

#[gpu_fn]
fn halves(list: [i32; TRANSACTIONS]) -> [i32; TRANSACTIONS] {
    let mut halves = list;
    for (k, x) in list.into_iter().enumerate() {
        halves[k] = x / 2;
    }
    halves
}

/// Loops over the array as it was before the loop; assignments to the element do not change the array.
#[gpu_fn]
fn copies(list: [i32; 4]) -> ([i32; 4], i32) {
    let (mut list, mut sum) = (list, 0);
    for mut x in list {
        list[3] = 7;
        x /= 2;
        sum = sum / 2 + x;
        list[0] = sum;
    }
    (list, sum)
}

#[gpu_fn]
fn references(list: [i32; 4], points: [Point; 2], text: [u8; 3]) -> (i32, i64, usize) {
    let (mut sum, mut far, mut found) = (0, 0, 0);
    for x in &list {
        if *x < sum {
            continue;
        }
        sum = sum / 2 + *x / 2;
    }
    for &x in list.iter() {
        sum ^= x;
    }
    for point in points.iter() {
        far = far / 2 + point.x as i64 - (*point).y as i64;
    }
    for &Point { x, y: other } in &points {
        far += x as i64 / 2 - other as i64 / 2;
    }
    for x in &list {
        far += x.wrapping_abs().pow(2) as i64 / 4;
    }
    for maybe in &[Some(3), Some(list[0])] {
        far += maybe.unwrap() as i64;
    }
    for (i, &sign) in text.iter().enumerate() {
        found = found * 3 + if sign > 100 { i } else { 2 };
    }
    (sum, far, found)
}

#[gpu_fn]
fn numbered(list: [i32; 4], pairs: [(u8, bool); 3]) -> [i64; 5] {
    let mut sums = [0; 5];
    for (i, x) in list.iter().copied().enumerate() {
        sums[0] = sums[0] * 3 + i as i64 ^ x as i64;
    }
    for (i, x) in list.iter().enumerate().rev() {
        sums[1] = sums[1] * 3 + i as i64 ^ *x as i64;
    }
    for x in list.into_iter().rev() {
        sums[2] = sums[2] * 3 ^ x as i64;
    }
    for (i, (small, yes)) in pairs.into_iter().enumerate() {
        sums[3] = sums[3] * 5 + if yes { small as i64 } else { i as i64 };
    }
    for (_, yes) in pairs {
        sums[4] = sums[4] * 2 + yes as i64;
    }
    for _ in pairs {
        sums[4] += 3;
    }
    sums
}

/// Leaves loops early, and faults in one.
#[gpu_fn]
fn left(list: [i32; 4], grid: [[i32; 2]; 3], by: i32) -> Option<i32> {
    let mut sum = 0;
    'transactions: for transaction in grid {
        for (k, x) in transaction.into_iter().enumerate() {
            if x == by {
                continue 'transactions;
            }
            if x > 1000 && k == 1 {
                break 'transactions;
            }
            sum = sum / 2 + x / 2;
        }
    }
    for x in &list {
        if *x == sum {
            return None;
        }
        sum = *x / by;
    }
    Some(sum)
}

/// Loops over empty arrays, and over arrays of arrays.
#[gpu_fn]
fn shapes(cube: [[[u8; 2]; 2]; 2], none: [u32; 0]) -> u32 {
    let mut sum = 0_u32;
    for x in none {
        sum += x;
    }
    for grid in cube {
        for transaction in &grid {
            for &x in transaction {
                sum = sum.wrapping_mul(3) + x as u32;
            }
        }
    }
    sum
}

/// Loops over a `&mut` parameter.
#[gpu_fn]
fn rotate(list: &mut [i32; 3]) -> i32 {
    let mut last = list[2];
    for (k, x) in (*list).into_iter().enumerate() {
        list[k] = last;
        last = x;
    }
    let mut sum = 0;
    for x in list.iter() {
        sum = sum / 2 + *x / 2;
    }
    sum
}

#[gpu_fn]
fn places(list: [i32; 3]) -> ([i32; 3], i32) {
    let mut list = list;
    let sum = rotate(&mut list);
    (list, sum)
}

same_as_plain! { elements_are_those_of_the_array:
    origins(list: [i32; TRANSACTIONS], grid: [[i16; 2]; 2], pair: ([u8; 2], bool), at: usize) -> [i64; 7];
    copies(list: [i32; 4]) -> ([i32; 4], i32);
    references(list: [i32; 4], points: [Point; 2], text: [u8; 3]) -> (i32, i64, usize);
    numbered(list: [i32; 4], pairs: [(u8, bool); 3]) -> [i64; 5];
    left(list: [i32; 4], grid: [[i32; 2]; 3], by: i32) -> Option<i32>;
    shapes(cube: [[[u8; 2]; 2]; 2], none: [u32; 0]) -> u32;
    places(list: [i32; 3]) -> ([i32; 3], i32);
}

/// Loops over the elements of an array that was read, and uses addresses from one.
#[gpu_transaction]
fn gather(tx: &mut Tx, cells: &Shared<i64>, lists: &Shared<[u8; 2]>, more: [usize; TRANSACTIONS]) -> TxResult<i64> {
    let mut sum = 0;
    for at in PLACES {
        sum += tx.read(cells, at)?;
    }
    for at in tx.read(lists, 0)? {
        sum = sum * 2 + tx.read(cells, at)?;
    }
    for (i, &at) in more.iter().enumerate() {
        tx.write(cells, at, tx.read(cells, at)? + i as i64 + 1)?;
    }
    Ok(sum)
}

#[gpu_transaction(max_iterations = 6)]
fn limited(_tx: &mut Tx, list: [u8; 4], few: bool) -> TxResult<u32> {
    let mut sum = 0;
    for x in list {
        for y in [x, 1, x] {
            if few && y != 1 {
                break;
            }
            sum += y as u32;
        }
    }
    Ok(sum)
}

#[test]
fn loops_over_arrays_have_an_exact_footprint() {
    let facts = gather::kernel().facts().expect("it compiles");
    assert_eq!((facts.indexed, facts.stated), (4 + 2 + 3, false), "{facts:?}");
    everywhere("elements and arrays", |environment| {
        let cells = environment.shared(&(0..10).map(|k| 1 << k).collect::<Vec<i64>>())?;
        let lists = environment.shared(&[[1_u8, 4]])?;
        let mut bench = Bench::new(environment);
        let sum = ((8 + 32 + 1 + 512) * 2 + 2) * 2 + 16;
        bench.call("gather".into(), gather::call(&cells, &lists, [7, 7, 2]), End::Value(sum));
        bench.call("few".into(), limited::call([1, 2, 3, 4], true), too_many());
        bench.call("many".into(), limited::call([1, 1, 1, 1], false), too_many());
        bench.finish(environment)?;
        expect_eq!(cells.to_vec()?, [1, 2, 4 + 3, 8, 16, 32, 64, 128 + 1 + 2, 256, 512], "cells");
        Ok(())
    });
}

fn too_many<R>() -> End<R> {
    let codes = vec![stm_runtime::FaultCode::TooManyIterations];
    End::Fault(crate::harness::Panic { codes, line: None, file: String::new() })
}
