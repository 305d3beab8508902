//! Iterators: chains over arrays and ranges, with every step and every end, and closures that capture.

use std::cmp::Ordering;

use stm_runtime::prelude::*;
use stm_tests::expect_eq;

use crate::harness::{Bench, End, everywhere};
use crate::values::Point;

const WEIGHTS: [i32; 5] = [3, -5, 0, 9, 2];

/// The ends that give one number.
#[gpu_fn]
fn ends(list: [i16; 5], by: i16) -> [i64; 8] {
    let sum: i64 = list.iter().map(|x| *x as i64).sum();
    let product: i64 = list.iter().map(|&x| (x % 9) as i64).product();
    let wide = list.iter().map(|x| *x as i32).sum::<i32>();
    [
        sum,
        product,
        wide as i64,
        list.iter().filter(|x| **x > by).count() as i64,
        list.iter().fold(7, |old, x| old * 3 % 1000 + *x as i64),
        list.into_iter().map(|x| x as i64).reduce(|a, b| a / 2 - b).unwrap_or(1),
        list.iter().copied().map(i64::from).fold(0, i64::max),
        (0..5_usize).map(|k| list[k] as i64 * k as i64).sum(),
    ]
}

/// The ends that find something.
#[gpu_fn]
fn found(list: [u8; 6], by: u8) -> ([Option<usize>; 5], [Option<u8>; 8], [bool; 4]) {
    let places = [
        list.iter().position(|&x| x == by),
        list.iter().map(|x| x / 2).position(|x| x > by),
        list.iter().enumerate().find(|(_, x)| **x < by).map(|(k, _)| k),
        list.iter().skip(1).rposition(|&x| x == by),
        list[1..5].iter().rev().map(|x| x / 2).rposition(|x| x > by),
    ];
    let values = [
        list.iter().copied().min(),
        list.iter().max().copied(),
        list.iter().find(|x| **x % 3 == 1).copied(),
        list.iter().find_map(|x| x.checked_sub(by)),
        list.iter().filter(|x| **x > by).last().copied(),
        list.iter().skip(2).copied().next(),
        list.iter().copied().nth(by as usize % 8),
        list[..2].iter().copied().max(),
    ];
    let truths = [
        list.iter().any(|&x| x > by),
        list.iter().all(|x| *x >= by),
        list.contains(&by),
        (3..by).contains(&list[0]) || (..=2).contains(&list[1]),
    ];
    (places, values, truths)
}

#[gpu_fn]
fn keys(list: [i8; 6], points: [Point; 3]) -> (Option<usize>, Option<usize>, Option<i8>, Option<i16>, Point, Point) {
    (
        list.iter().enumerate().max_by_key(|(_, x)| **x / 4).map(|(k, _)| k),
        list.iter().enumerate().min_by_key(|&(_, x)| x / 4).map(|(k, _)| k),
        list.iter().copied().min_by_key(|x| x.wrapping_mul(3)),
        points.iter().max_by_key(|point| point.y).map(|point| point.x as i16),
        points.iter().copied().max_by(|a, b| (a.x % 4).cmp(&(b.x % 4))).unwrap(),
        *points.iter().min_by(|a, b| a.y.cmp(&b.y).then(b.x.cmp(&a.x))).unwrap(),
    )
}

/// The steps, one at a time and together.
#[gpu_fn]
fn steps(list: [u16; 6], other: [u16; 4], n: usize) -> [u64; 14] {
    let mut sums = [0_u64; 14];
    for (i, x) in list.iter().enumerate().skip(1) {
        sums[0] = sums[0] * 3 + *x as u64 + i as u64;
    }
    for x in list.iter().take(n % 8) {
        sums[1] = sums[1] * 3 + *x as u64;
    }
    for (x, y) in list.iter().zip(other.iter()) {
        sums[2] += *x as u64 * *y as u64;
    }
    for (x, y) in list.iter().rev().zip(&other) {
        sums[3] = sums[3] * 3 + (*x / 2) as u64 + *y as u64;
    }
    for x in list.iter().step_by(n % 3 + 1) {
        sums[4] = sums[4] * 3 + *x as u64;
    }
    for k in (0..8_u64).rev().step_by(3) {
        sums[5] = sums[5] * 10 + k;
    }
    for x in list.iter().chain(other.iter()).filter(|x| **x % 2 == 0) {
        sums[6] = sums[6] * 3 + *x as u64;
    }
    for (k, x) in list.iter().filter(|&&x| x > 9).enumerate() {
        sums[7] = sums[7] * 3 + k as u64 * *x as u64;
    }
    for x in list.iter().map(|x| x / 3).rev().skip(1).step_by(2) {
        sums[8] = sums[8] * 3 + x as u64;
    }
    for (i, (x, y)) in list.iter().skip(1).zip(other.iter().rev()).enumerate().rev() {
        sums[9] = sums[9] * 3 + i as u64 + (*x as u64 ^ *y as u64);
    }
    for x in list.iter().take_while(|x| **x > 5).chain(other.iter().skip_while(|x| **x > 5)) {
        sums[10] = sums[10] * 3 + *x as u64;
    }
    sums[11] = (1..=n as u64 % 9).rev().filter_map(|k| 60_u64.checked_div(k - 1)).sum();
    sums[12] = list.windows(2).filter(|pair| pair[0] < pair[1]).count() as u64;
    sums[13] = list.chunks_exact(4).map(|piece| piece[0] as u64 * piece[3] as u64).sum();
    sums
}

/// Selections that are cut at both ends, in both directions, and reach past the array.
#[gpu_fn]
fn windows(list: [u8; 7], from: u8, count: u8, by: u8) -> [u64; 9] {
    let (from, count, by) = (from as usize % 9, count as usize % 9, by as usize % 4 + 1);
    [
        list.iter().skip(from).take(count).fold(1, |sum, x| sum * 300 % 65_537 + *x as u64),
        list.iter().take(count).skip(from).fold(1, |sum, x| sum * 300 % 65_537 + *x as u64),
        list.iter().rev().skip(from).take(count).fold(1, |sum, x| sum * 300 % 65_537 + *x as u64),
        list.iter().rev().take(count).skip(from).rev().fold(1, |sum, x| sum * 300 % 65_537 + *x as u64),
        list.iter().skip(from).step_by(by).rev().fold(1, |sum, x| sum * 300 % 65_537 + *x as u64),
        list.iter()
            .enumerate()
            .skip(from)
            .rev()
            .take(count)
            .fold(1, |sum, (k, x)| sum * 300 % 65_537 + k as u64 * *x as u64),
        list.iter().rev().enumerate().skip(from).fold(1, |sum, (k, x)| sum * 300 % 65_537 + k as u64 * *x as u64),
        list.iter()
            .filter(|x| **x > 20)
            .skip(from)
            .step_by(by)
            .take(count)
            .fold(1, |sum, x| sum * 300 % 65_537 + *x as u64),
        list.iter()
            .map(|x| *x as u64)
            .zip((1..).map(|k| k * k))
            .skip(from)
            .fold(1, |sum, (x, k)| sum * 300 % 65_537 + x * k),
    ]
}

/// Closures see what is around them, change it, and stand in each other; one name stands for several variables.
#[gpu_fn]
fn captured(list: [i32; 4], other: [i32; 3], by: i32) -> [i64; 6] {
    let (mut sum, mut seen) = (0_i64, 0_i64);
    let x = 1000;
    list.iter().for_each(|x| sum = sum / 2 + *x as i64);
    let odd = list.iter().inspect(|x| seen = seen / 3 + **x as i64).filter(|x| **x % 2 != 0).count();
    let most = list.iter().map(|x| other.iter().map(|y| (*x / 3) as i64 * *y as i64).sum::<i64>()).max();
    let shadowed = list.iter().map(|x| x / 8).map(|y| y as i64 + x as i64).fold(0, |x, y| x / 2 + y);
    let low = list
        .iter()
        .map(|y| {
            let by = by / 2;
            y / 4 + by / 4
        })
        .filter(|y| *y > by / 2)
        .map(|y| y as i64)
        .sum();
    [sum + seen, odd as i64, most.unwrap_or(3), shadowed, low, x as i64 + by as i64]
}

/// `for` with `break`, `continue` and labels over what becomes several loops, or blocks.
#[gpu_fn]
fn left(list: [i32; 5], other: [i32; 3], by: i32) -> (i64, Option<i32>) {
    let mut sum = 0_i64;
    for x in list.iter().chain(&other) {
        if *x == by {
            continue;
        }
        if *x > 1_000_000 {
            break;
        }
        sum = sum / 2 + *x as i64;
    }
    'rows: for (k, x) in list.iter().enumerate().filter(|(_, x)| **x != 3).take(3) {
        for y in other.iter().chain(list.iter()).take(4) {
            if *y == *x {
                continue 'rows;
            }
            if *y > by {
                break;
            }
            if k == 2 && *y < -1_000_000 {
                break 'rows;
            }
            sum = sum / 2 + *y as i64 * k as i64;
        }
        sum += 1;
    }
    for x in list.iter().skip(1).chain(other.iter()) {
        if x % 5 == 0 {
            return (sum, Some(*x / 5));
        }
    }
    let k = 'block: {
        for k in 3.. {
            if k * k > by.wrapping_abs() {
                break 'block Some(k);
            }
            if k > 40 {
                break;
            }
        }
        None
    };
    (sum, k)
}

/// Values whose type rustc finds last, and negative numbers that repeat.
#[gpu_fn]
fn found_late(points: [Point; 2], by: i32) -> (i32, i32, u64) {
    let list = [1_u8, 2, 3];
    let most = list.iter().skip(1).chain(list.iter()).map(|_| points[0].x).reduce(|a, b| a.wrapping_mul(3) ^ b);
    let repeated = std::iter::repeat_n(-3, 4).zip([5, by, 6]).map(|(a, b)| a ^ b).fold(0, |a, b| a ^ b);
    let short = u16::from_le_bytes(points[1].y.to_le_bytes()[1..3].try_into().unwrap());
    (most.unwrap_or(5) as i32, repeated, short as u64)
}

/// Elements that are changed in place.
#[gpu_fn]
fn changed(list: [u32; 5], grid: [[u8; 3]; 2], points: [Point; 2], by: u8) -> ([u32; 5], [[u8; 3]; 2], [Point; 2]) {
    let (mut list, mut grid, mut points) = (list, grid, points);
    for x in list.iter_mut() {
        *x /= 3;
    }
    for x in &mut list {
        *x = x.wrapping_add(1);
        if *x == 7 {
            continue;
        }
        *x ^= 5;
    }
    for (k, x) in list.iter_mut().enumerate().skip(1).step_by(2) {
        *x += k as u32;
    }
    for (x, y) in list.iter_mut().zip(grid[1].iter()).rev() {
        *x = *x / 2 + *y as u32;
    }
    for row in grid.iter_mut() {
        row[0] = row[2] / 2;
        for cell in row.iter_mut().filter(|cell| **cell > by) {
            *cell -= by;
        }
    }
    for cell in grid[by as usize % 3].iter_mut() {
        *cell /= 2;
    }
    points.iter_mut().for_each(|point| point.x = point.y.wrapping_add(1));
    for point in &mut points[1..] {
        point.y = point.x / 2;
    }
    list.swap(by as usize % 6, 1);
    list[1..4].iter_mut().for_each(|x| *x += 1);
    (list, grid, points)
}

#[gpu_fn]
fn rearranged(list: [i16; 6], few: [u8; 3], at: usize) -> ([i16; 6], [i16; 6], [u8; 3], [Option<i16>; 4]) {
    let mut sorted = list;
    sorted.sort_unstable();
    let mut back = list;
    back.reverse();
    back.swap(0, at % 7);
    let mut filled = few;
    filled.fill(few[1]);
    (
        sorted,
        back,
        filled,
        [list.first().copied(), list.last().copied(), list.get(at).copied(), list.get(at % 7).copied()],
    )
}

/// Sums of floats: the sum of none is `-0.0`.
#[gpu_fn]
fn floats(list: [f32; 4], n: usize) -> [u64; 4] {
    let few: f32 = list.iter().take(n % 3).sum();
    let all = list.iter().map(|x| *x as f64).product::<f64>();
    let most = list.iter().copied().fold(0.5, f32::max);
    let above = list.iter().filter(|x| **x > 1.5).count();
    [few.to_bits() as u64, (all.is_nan() as u64), (most > 0.5) as u64, above as u64]
}

#[gpu_fn]
fn half(list: &[f32]) -> f32 {
    if list.len() > 2 {
        return list.iter().sum();
    }
    list.iter().map(|x| x * 0.5).product()
}

#[gpu_fn]
fn crossed(list: &[f32; 3], other: &[f32; 3], points: &[Point; 2]) -> (Option<f32>, f32, Point) {
    let same = other;
    let y = points.iter().map(|point| point.y).product();
    let sides = list.iter().zip(other).map(|(x, y)| x * y).chain(same.iter().zip(list).map(|(x, y)| x - y)).sum();
    (Some(list.iter().chain(other).sum()), sides, Point { x: points.iter().map(|point| point.x / 2).sum(), y })
}

#[gpu_fn]
fn held(points: &[Point; 2]) -> [Point; 2] {
    *points
}

#[gpu_fn]
fn grid(points: &[Point; 2]) -> [[i32; 2]; 2] {
    held(points).map(|point| held(points).map(|other| point.x ^ other.y))
}

/// Sums whose type is that of their elements, or is stated around them, other names of references, and arrays by their results.
#[gpu_fn]
fn typed(
    list: [f32; 3],
    other: [f32; 3],
    points: [Point; 2],
    n: usize,
) -> (f32, (Option<f32>, f32, Point), [u32; 3], [[i32; 2]; 2]) {
    let points = [Point { y: points[0].y % 7, ..points[0] }, Point { y: points[1].y % 7, ..points[1] }];
    (half(&list[n % 4..]), crossed(&list, &other, &points), std::array::from_fn(|k| k as u32 * 3), grid(&points))
}

/// Chains that are compared, of several lengths.
#[gpu_fn]
fn against(a: [i8; 3], b: [f32; 2], n: usize) -> ([bool; 7], Ordering, [Option<Ordering>; 2]) {
    let a = [a[0] % 2, a[1] % 2, a[2] % 2];
    let mut other = [a[0], a[1], a[2], a[0]];
    other[n % 4] = 1;
    let part = &other[..n / 4 % 5];
    let floats = b.iter().copied().partial_cmp([b[n % 2], 1.5]);
    (
        [
            a.iter().eq(part.iter()),
            a.iter().ne(part),
            a.iter().rev().lt(part.iter().rev()),
            a.iter().le(part.iter()),
            a.iter().gt(part.iter()),
            a.iter().filter(|x| **x >= 0).ge(part.iter()),
            a.iter().eq(a.iter().rev()),
        ],
        a.iter().cmp(part.iter()),
        [floats, (0..4_usize).partial_cmp(0..n % 6)],
    )
}

/// Arrays that begin again after their last element, and none of an empty one.
#[gpu_fn]
fn again(list: [i16; 4], n: usize, k: usize) -> [i64; 5] {
    let part = &list[n % 5..];
    let mut sum = 0_i64;
    for (i, x) in part.iter().rev().cycle().enumerate() {
        if i == k % 12 {
            break;
        }
        if i % 5 == 3 {
            continue;
        }
        sum = sum * 3 % 65_537 + *x as i64;
    }
    [
        sum,
        part.iter().cycle().take(k % 10).fold(1, |sum, x| sum * 5 % 65_537 + *x as i64),
        part.iter().rev().cycle().skip(2).step_by(2).take(k % 7).fold(1, |sum, x| sum * 5 % 65_537 + *x as i64),
        list.iter().zip(part.iter().take(3).cycle().skip(1)).map(|(x, y)| *x as i64 * *y as i64).sum(),
        (0..k as i64 % 9).zip(part.iter().cycle().skip(n % 3).map(|x| x / 2)).map(|(k, x)| k * x as i64).sum(),
    ]
}

/// Constants, and arrays that are moved.
#[gpu_fn]
fn moved(list: [i32; 4]) -> (i64, i64) {
    let mut list = list;
    let mut sum = 0;
    for (k, x) in list.into_iter().enumerate().filter(|(k, _)| *k != 1) {
        list[3] = 7;
        sum = sum * 3 % 1000 + x as i64 + k as i64;
    }
    let scaled = WEIGHTS.iter().zip(list).map(|(weight, x)| *weight as i64 * x as i64).sum();
    (sum, scaled)
}

/// Faults inside of closures and of the loops themselves.
#[gpu_fn]
fn faults(list: [u8; 4], by: u8) -> u32 {
    let quotients: u32 = list.iter().map(|x| (x / by) as u32).sum();
    let small = list.iter().copied().sum::<u8>();
    let part = list[by as usize % 6..].iter().count() as u32;
    quotients + small as u32 + part + (0..9_u8).step_by(by as usize % 3).count() as u32
}

same_as_plain! { iterators_give_what_rustc_gives:
    ends(list: [i16; 5], by: i16) -> [i64; 8];
    found(list: [u8; 6], by: u8) -> ([Option<usize>; 5], [Option<u8>; 8], [bool; 4]);
    keys(list: [i8; 6], points: [Point; 3]) -> (Option<usize>, Option<usize>, Option<i8>, Option<i16>, Point, Point);
    steps(list: [u16; 6], other: [u16; 4], n: usize) -> [u64; 14];
    windows(list: [u8; 7], from: u8, count: u8, by: u8) -> [u64; 9];
    found_late(points: [Point; 2], by: i32) -> (i32, i32, u64);
    captured(list: [i32; 4], other: [i32; 3], by: i32) -> [i64; 6];
    left(list: [i32; 5], other: [i32; 3], by: i32) -> (i64, Option<i32>);
    changed(list: [u32; 5], grid: [[u8; 3]; 2], points: [Point; 2], by: u8) -> ([u32; 5], [[u8; 3]; 2], [Point; 2]);
    rearranged(list: [i16; 6], few: [u8; 3], at: usize) -> ([i16; 6], [i16; 6], [u8; 3], [Option<i16>; 4]);
    floats(list: [f32; 4], n: usize) -> [u64; 4];
    typed(list: [f32; 3], other: [f32; 3], points: [Point; 2], n: usize) -> (f32, (Option<f32>, f32, Point), [u32; 3], [[i32; 2]; 2]);
    against(a: [i8; 3], b: [f32; 2], n: usize) -> ([bool; 7], Ordering, [Option<Ordering>; 2]);
    again(list: [i16; 4], n: usize, k: usize) -> [i64; 5];
    moved(list: [i32; 4]) -> (i64, i64);
    faults(list: [u8; 4], by: u8) -> u32;
}

/// Chains whose steps read and write shared arrays, in transactions.
#[gpu_transaction(max_accesses = 24)]
fn spread(tx: &mut Tx, cells: &Shared<u32>, at: [u32; 4], n: u32) -> TxResult<u32> {
    let mut sum = 0;
    for (k, i) in at.iter().enumerate().filter(|(k, _)| *k as u32 != n) {
        sum += tx.read(cells, *i)? + k as u32;
    }
    for k in (0..n.min(4)).filter(|k| k % 2 == 0) {
        tx.update(cells, k, |old| old + sum)?;
    }
    let room = (0..4_u32).map(|k| k + n).find(|k| *k > 5);
    let Some(free) = room else { return tx.reject(3) };
    tx.write(cells, free, at.iter().copied().max().unwrap_or(0))?;
    Ok(sum)
}

#[test]
fn chains_read_and_write_shared_arrays() {
    everywhere("iterators and arrays", |environment| {
        let cells = environment.shared(&(0..10).collect::<Vec<u32>>())?;
        let mut bench = Bench::new(environment);
        bench.call("spread".into(), spread::call(&cells, [9, 7, 5, 3], 3), End::Value(9 + 7 + 5 + 3));
        bench.finish(environment)?;
        expect_eq!(cells.to_vec()?, [24, 1, 26, 3, 4, 5, 9, 7, 8, 9], "cells");
        let mut bench = Bench::new(environment);
        bench.call("none".into(), spread::call(&cells, [9, 7, 5, 3], 0), End::Reject(3));
        bench.finish(environment)?;
        Ok(())
    });
}
