//! Parts of arrays whose bounds are known only when they run, slices in patterns, and the order of records.

use std::cmp::Ordering;

use stm_runtime::prelude::*;
use stm_tests::{TestResult, expect, expect_eq};

use crate::harness::everywhere;

#[gpu_fn]
fn mixed(list: &[u32], by: u32) -> u32 {
    let mut sum = by;
    for (k, x) in list.iter().enumerate() {
        sum = sum.wrapping_mul(7) ^ x.wrapping_add(k as u32);
    }
    sum ^ list.len() as u32 ^ if list.contains(&by) { 8 } else { 0 }
}

/// Takes its slice apart again, and passes the pieces on.
#[gpu_fn]
fn halves(list: &[u32], n: usize) -> u32 {
    let (left, right) = list.split_at(n);
    let inner = &right[1..=1];
    mixed(left, 1) ^ mixed(right, 2).rotate_left(5) ^ mixed(inner, inner[0]) ^ list[n]
}

#[gpu_fn]
fn bounds(list: [u32; 6], a: usize, b: usize) -> [u32; 5] {
    let (a, b) = (a % 7, b % 8);
    let part = &list[a..b];
    let tail = &list[a..];
    let mut sum = part.len() as u32;
    for x in part {
        sum = sum.wrapping_mul(3) ^ *x;
    }
    for (k, x) in tail.iter().rev().enumerate().skip(1) {
        sum ^= x.rotate_left(k as u32);
    }
    [sum, mixed(part, list[0]), mixed(&list[..a], 3), halves(tail, 1), part[b % 2]]
}

#[gpu_fn]
fn shape(list: &[u32]) -> u32 {
    match list {
        [] => 1,
        [7, ..] => 2,
        [one] => one ^ 3,
        [a, b] if a < b => a ^ 4,
        [first, middle @ .., last] => mixed(middle, *first).wrapping_sub(*last),
    }
}

#[gpu_fn]
fn patterns(list: [u32; 5], n: usize) -> [u32; 4] {
    let list = [list[0] % 8, list[1] % 8, list[2], list[3], list[4]];
    let part = &list[n % 6..];
    let mut sum = 0;
    if let [first, rest @ ..] = part {
        sum = first ^ mixed(rest, 1);
    }
    let Some((last, before)) = part.split_last() else { return [sum; 4] };
    if let Some((&first, _)) = before.split_first() {
        sum ^= first;
    }
    let [.., end] = part else { return [1; 4] };
    let [front @ .., back] = &list[..n % 6] else { return [2; 4] };
    sum ^= match &list[n % 3..] {
        [1 | 3, rest @ ..] => mixed(rest, *back),
        [a, b] if a < b => a.wrapping_sub(*b),
        [rest @ .., last] => rest.iter().fold(*last, |old, x| old.wrapping_add(*x)) ^ front.len() as u32,
        _ => 5,
    };
    if let [one, .., other] = &list[..] {
        sum ^= one.wrapping_mul(*other);
    }
    [shape(part), shape(&list[1..n % 6]), sum ^ last, mixed(before, *end)]
}

#[derive(Debug, Clone, Copy, PartialEq, GpuData)]
struct Row<const N: usize> {
    cells: [(u16, i8); N],
    grid: [[u32; 2]; 3],
}

#[gpu_fn]
fn row(list: [u16; 4], by: u32) -> Row<4> {
    Row { cells: list.map(|x| (x, x as i8)), grid: [[by, 1], [2, by / 2], [by / 3, 5]] }
}

/// The rest of arrays whose lengths only rustc knows.
#[gpu_fn]
fn rests(list: [u16; 4], by: u32) -> ([(u16, i8); 3], [[u32; 2]; 1], [u32; 4], usize) {
    let mut row = row(list, by);
    let [first, cells @ ..] = row.cells;
    let [_, middle @ .., last] = row.grid;
    row.grid[1] = [7, 8];
    let [mut most @ .., _] = row.grid;
    most[0][1] ^= u32::from(first.0);
    let sum = cells.iter().map(|cell| u32::from(cell.0)).sum::<u32>();
    let [[one, ..], [other @ .., _]] = most;
    let mut turned = 0;
    for [a, b] in most {
        turned = (turned ^ a).rotate_left(3).wrapping_add(b);
    }
    (cells, middle, [sum, one ^ other[0], last[0], turned], cells.len() + most.len())
}

#[gpu_fn]
fn pieces(list: [u32; 7], n: usize) -> [u32; 4] {
    let n = n % 9;
    let greatest = list.chunks(n).map(|piece| piece.iter().fold(0_u32, |sum, x| sum.wrapping_add(*x))).max();
    let windows = list.windows(n).filter(|piece| piece[0] < piece[piece.len() - 1]).count();
    let mut sum = 0_u32;
    for (k, piece) in list[1..].chunks_exact(n.max(1)).enumerate() {
        sum = sum.rotate_left(3) ^ mixed(piece, k as u32);
    }
    let running = list
        .iter()
        .scan(1_u32, |state, x| {
            *state = state.wrapping_add(*x);
            if *state % 5 == 0 { None } else { Some(*state) }
        })
        .fold(0, |a, b| a ^ b);
    let some = list.iter().map_while(|x| x.checked_add(n as u32)).last();
    [greatest.unwrap_or(0), windows as u32, sum ^ some.unwrap_or(1), running]
}

#[gpu_fn]
fn turned(list: &mut [u16; 8], by: usize) {
    list[1..].rotate_left(by % 9);
    list[..2].reverse();
    list.rotate_right(3);
}

/// Parts that methods change, whose bounds can be wrong.
#[gpu_fn]
fn rearranged(list: [u16; 8], other: [u16; 5], a: usize, b: usize, c: usize) -> [[u16; 8]; 4] {
    let (a, b) = (a % 9, b % 9);
    let mut lists = [list; 4];
    turned(&mut lists[0], c);
    let [_, mut x, mut y, mut z] = lists;
    x[a.min(b)..a.max(b)].sort_unstable();
    x[2..].sort_by_key(|x| *x % 16);
    x[a..].swap(0, c % 8);
    y.copy_within(a..b.max(a), c % 5);
    y[3..].copy_within(..=2, a % 4);
    y[1..6].sort_by(|x, y| y.cmp(x));
    z[2..5].copy_from_slice(&other[..3]);
    z[a..b].fill(other[c % 5]);
    z[a..].copy_from_slice(&other[c % 6..]);
    [lists[0], x, y, z]
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, GpuData)]
enum State {
    Idle,
    Busy { since: u8, left: i32 },
    Done([i8; 2]),
}

#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, GpuData)]
struct Held<T> {
    state: State,
    held: Option<T>,
    rest: Result<u8, (i8, bool)>,
}

#[gpu_fn]
fn least<T: PartialOrd + Copy, const N: usize>(list: [T; N]) -> T {
    let mut least = list[0];
    for x in list {
        if x < least {
            least = x;
        }
    }
    least
}

#[gpu_fn]
fn state(n: u8, x: i32) -> State {
    match n % 3 {
        0 => State::Idle,
        1 => State::Busy { since: n / 128, left: x % 2 },
        _ => State::Done([(n / 128) as i8, x as i8]),
    }
}

#[gpu_fn]
fn records(a: (u8, i32, f64), b: (u8, i32, f64), c: bool) -> ([bool; 6], [bool; 4], bool, Ordering) {
    let of = |x: (u8, i32, f64)| {
        let held = if x.0 % 5 == 0 { None } else { Some(x.2) };
        Held { state: state(x.0, x.1), held, rest: if x.1 % 3 == 0 { Ok(x.0 / 64) } else { Err((x.1 as i8 % 2, c)) } }
    };
    let (x, y): (Held<f64>, Held<f64>) = (of(a), of(b));
    let mut states = [state(a.0, a.1), state(b.0, b.1), State::Idle];
    let most = *states.iter().max().unwrap();
    let both = std::cmp::max(states[0], states[1]);
    states.sort_unstable();
    let order = Ord::cmp(&states[1], &most);
    let chosen =
        [most == both || both == State::Idle, states[2] == most, least(states) == states[0], states.is_sorted()];
    (
        [x < y, x <= y, x > y, x >= y, x == y, x != y],
        chosen,
        [x.held, y.held] < [y.held, x.held],
        order.reverse().then(order),
    )
}

same_as_plain! { parts_and_records_mean_what_they_mean_in_rust:
    bounds(list: [u32; 6], a: usize, b: usize) -> [u32; 5];
    patterns(list: [u32; 5], n: usize) -> [u32; 4];
    pieces(list: [u32; 7], n: usize) -> [u32; 4];
    rests(list: [u16; 4], by: u32) -> ([(u16, i8); 3], [[u32; 2]; 1], [u32; 4], usize);
    rearranged(list: [u16; 8], other: [u16; 5], a: usize, b: usize, c: usize) -> [[u16; 8]; 4];
    records(a: (u8, i32, f64), b: (u8, i32, f64), c: bool) -> ([bool; 6], [bool; 4], bool, Ordering);
}

#[derive(Debug, Clone, Copy, PartialEq, GpuData)]
struct Backwards(u32);

impl PartialOrd for Backwards {
    fn partial_cmp(&self, other: &Backwards) -> Option<Ordering> {
        other.0.partial_cmp(&self.0)
    }
}

#[gpu_transaction]
fn compare(_tx: &mut Tx, a: Backwards, b: Backwards) -> TxResult<bool> {
    Ok(a < b)
}

#[test]
fn an_order_that_is_not_that_of_the_fields_is_refused() {
    everywhere("an order of its own", |environment| -> TestResult {
        let mut batch = environment.batch();
        batch.push(compare::call(Backwards(1), Backwards(2)));
        let why = environment.run(&batch).err().map(|error| error.to_string()).unwrap_or_default();
        expect!(why.contains("`Backwards` has a `PartialOrd` of its own"), "{why}");
        Ok(())
    });
}

#[derive(Debug, Clone, Copy, PartialEq, GpuData)]
struct Lane {
    count: u32,
    wide: i128,
}

#[derive(Debug, Clone, Copy, PartialEq, GpuData)]
struct Lanes {
    lanes: [Lane; 3],
    deep: [[u16; 2]; 2],
}

#[gpu_fn]
fn step(tx: &mut Tx, lane: &Shared<Lane>, others: &[&Shared<u16>; 2], at: u32) -> TxResult<u16> {
    let old = tx.read(lane, at)?;
    tx.write(lane, at, Lane { count: old.count + 1, wide: old.wide - lane.len() as i128 })?;
    let mut sum = 0;
    for other in others {
        sum += tx.read(other, at)?;
    }
    Ok(sum)
}

#[gpu_transaction]
fn advance(
    tx: &mut Tx,
    rows: &Shared<Lanes>,
    grid: &Shared<[[u16; 2]; 2]>,
    tables: [&Shared<u16>; 2],
    k: usize,
    j: usize,
) -> TxResult<(u16, u32)> {
    let lane = &rows.lanes[k];
    let mut sum = step(tx, lane, &tables, 0)? + step(tx, &rows.lanes[2 - k], &[tables[1], &rows.deep[1][0]], 1)?;
    for i in 0..2 {
        tx.update(&rows.deep[j][i], 0, |old| old + 10 * i as u16)?;
        sum += tx.read(&rows.deep[i], 0)?[j];
    }
    tx.write(&grid[j][1 - j], 1, tx.read(&grid[0], 0)?[j] + 1)?;
    sum += tx.read(&grid[1][j], 0)?;
    tx.write(&rows.lanes[k].wide, 1, 1 << 70)?;
    tx.write(tables[j], 1, sum)?;
    Ok((sum, tx.read(&lane.count, 0)?))
}

#[test]
fn an_index_chooses_an_element_of_an_array_field() {
    everywhere("lanes", |environment| -> TestResult {
        let lane = |count| Lane { count, wide: i128::from(count) << 64 };
        let row = Lanes { lanes: [lane(1), lane(2), lane(3)], deep: [[1, 2], [3, 4]] };
        let (rows, first, second) =
            (environment.shared(&[row; 2])?, environment.shared(&[5_u16, 6])?, environment.shared(&[7_u16, 8])?);
        let grid = environment.shared(&[[[100_u16, 200], [300, 400]]; 2])?;
        let mut batch = environment.batch();
        let outcome = batch.push(advance::call(&rows, &grid, [&first, &second], 0, 1));
        let out = batch.push(advance::call(&rows, &grid, [&first, &second], 3, 0));
        let report = environment.run(&batch)?;
        expect_eq!(report.outcome(outcome), Outcome::Committed((400 + 12 + 8 + 3 + 2 + 14, 2)), "the outcome");
        expect!(
            matches!(report.outcome(out), Outcome::Faulted(fault) if fault.code == stm_runtime::FaultCode::IndexOutOfRange),
            "no such lane"
        );
        let stepped = |lane: Lane| Lane { count: lane.count + 1, wide: lane.wide - 2 };
        let low = Lanes { lanes: [stepped(row.lanes[0]), lane(2), lane(3)], deep: [[1, 2], [3, 14]] };
        let high = Lane { count: 1, wide: 1 << 70 };
        let high = Lanes { lanes: [high, lane(2), stepped(row.lanes[2])], ..row };
        expect_eq!(rows.to_vec()?, [low, high], "the rows");
        expect_eq!((first.to_vec()?, second.to_vec()?), (vec![5, 6], vec![7, 439]), "the tables");
        expect_eq!(grid.to_vec()?, [[[100, 200], [300, 400]], [[100, 200], [201, 400]]], "the grid");
        Ok(())
    });
}
