//! Compound values: tuples, records, arrays, `Option`s, enums.

use stm_runtime::prelude::*;

#[derive(Debug, Clone, Copy, PartialEq, GpuData)]
pub(crate) struct Point {
    pub(crate) x: i32,
    pub(crate) y: i32,
}

#[derive(Debug, Clone, Copy, PartialEq, GpuData)]
pub(crate) struct Line {
    pub(crate) from: Point,
    pub(crate) to: Point,
    pub(crate) name: Option<u8>,
}

#[derive(Debug, Clone, Copy, PartialEq, GpuData)]
pub(crate) struct Metres(pub(crate) f64);

#[derive(Debug, Clone, Copy, PartialEq, Eq, GpuData)]
#[repr(i16)]
pub(crate) enum Heading {
    North = -300,
    East,
    South = 7,
    West,
}

#[gpu_fn]
fn tuples(a: (u8, (i32, bool)), b: (i32, i32)) -> ((i32, u8), bool) {
    let (mut first, (second, flag)) = a;
    let (c, d) = if flag { (b.1, b.0) } else { b };
    if c < d {
        first /= 2;
    }
    let mut out = ((second, first), !flag);
    (out.0).0 = c / 3;
    out.1 = out.1 || a.0 == first;
    out
}

#[gpu_fn]
fn swapped(a: i32, b: i32, c: i32) -> (i32, i32, i32) {
    let mut all = (a, b, c);
    all = (all.1, all.0, all.2);
    all = (all.0, all.2, all.1);
    let (a, b, c) = all;
    (b, a, c)
}

/// Copies a value; later changes do not affect the copy.
#[gpu_fn]
fn copies(line: Line, x: i32) -> (Line, Line, i32) {
    let mut moved = line;
    moved.to.x = x;
    let before = moved;
    moved.from = Point { x, ..moved.to };
    moved.name = match line.name {
        Some(n) if n > 3 => None,
        other => other,
    };
    let Point { x: left, y } = before.from;
    (moved, before, left / 2 + y / 2)
}

#[gpu_fn]
fn rebuilt(line: Line, by: i32) -> Line {
    let Line { from, name, .. } = line;
    let to = Point { y: from.y / 2 + by, ..line.to };
    Line { to: Point { x: to.y, y: to.x }, from: line.to, name }
}

#[gpu_fn]
fn tuple_struct(a: Metres, b: Metres) -> (Metres, bool) {
    let Metres(x) = a;
    let mut sum = Metres(x + b.0);
    sum.0 *= 0.5;
    (sum, a.0 < b.0)
}

#[gpu_fn]
fn sorted(values: [i32; 6]) -> [i32; 6] {
    let mut sorted = values;
    for end in (1..6_usize).rev() {
        for k in 0..end {
            if sorted[k] > sorted[k + 1] {
                let high = sorted[k];
                sorted[k] = sorted[k + 1];
                sorted[k + 1] = high;
            }
        }
    }
    sorted
}

/// Panics on an index out of bounds.
#[gpu_fn]
fn picked(values: [u16; 5], at: usize, to: usize) -> ([u16; 5], u16) {
    let mut values = values;
    let taken = values[at];
    values[to] = taken / 2;
    (values, values[at])
}

#[gpu_fn]
fn grid(start: u32, transaction: usize, column: usize) -> ([[u32; 3]; 2], u32) {
    let mut cells = [[start; 3]; 2];
    cells[0][2] = 5;
    cells[transaction][column] = 9;
    let mut line = cells[transaction];
    line[column] += 1;
    cells[1 - transaction] = line;
    (cells, cells[0][0] / 2 + cells.len() as u32)
}

#[gpu_fn]
fn records_in_arrays(points: [Point; 3], at: usize) -> (Point, [Point; 3], i32) {
    let mut points = points;
    points[at].x = 4;
    let other = points[2 - at];
    points[at] = Point { y: other.x, ..points[at] };
    points[0].y /= 3;
    (points[at], points, other.y)
}

/// Nests arrays and other compound values.
#[gpu_fn]
fn deep(values: [(u8, Option<[i8; 2]>); 2], k: usize) -> (i8, [(u8, Option<[i8; 2]>); 2]) {
    let mut values = values;
    let found = match values[k].1 {
        Some(pair) => pair[k],
        None => {
            values[k].1 = Some([3, -4]);
            -1
        }
    };
    values[1].0 = values[0].0;
    (found, values)
}

#[gpu_fn]
fn equal(a: [u8; 3], b: [u8; 3], c: Option<(u8, bool)>, d: Option<(u8, bool)>) -> [bool; 4] {
    [a == b, c != d, (a, c) == (a, d), a[0] == b[0] && c == None]
}

#[gpu_fn]
fn options(a: Option<i32>, b: Option<i32>) -> (Option<i32>, i32, [bool; 3]) {
    let sum = match (a, b) {
        (Some(x), Some(y)) => x.checked_add(y),
        (None, one) => one,
        (one, None) => one,
    };
    let plain = a.or(b).unwrap_or(-3) / 2;
    let both = a.xor(b).unwrap_or_default();
    (sum, plain.saturating_add(both), [a.is_some(), b.is_none(), a.and(b) == sum])
}

#[gpu_fn]
fn nested_options(a: Option<Option<u8>>, b: Option<Point>) -> (Option<u8>, Option<(bool, i32)>) {
    let inner = match a {
        Some(Some(0)) => Some(100),
        Some(inner) => inner,
        None => Some(1),
    };
    let point = if let Some(Point { x, y: 0..=5 }) = b { Some((true, x)) } else { (b.is_some()).then_some((false, 0)) };
    (inner, point)
}

/// Leaves with `None` through `?`.
#[gpu_fn]
fn tried(a: Option<i32>, b: i32) -> Option<i32> {
    let x = a?;
    let half = x.checked_div(b)?;
    if half > 4 {
        return None;
    }
    Some(half.checked_mul(3)? + 1)
}

#[gpu_fn]
fn turned(heading: Heading, left: bool) -> (Heading, i64, u8) {
    let next = match (heading, left) {
        (Heading::North, true) | (Heading::South, false) => Heading::West,
        (Heading::North, _) | (Heading::South, _) => Heading::East,
        (Heading::East | Heading::West, up) => {
            if up == (heading == Heading::East) {
                Heading::North
            } else {
                Heading::South
            }
        }
    };
    (next, next as i64 * 2, heading as u8)
}

#[gpu_fn]
fn headings(all: [Heading; 3], k: usize) -> Option<Heading> {
    let mut all = all;
    if all[k] == all[0] {
        all[k] = Heading::South;
    }
    let found = all[(k + 1) % 3];
    if found != Heading::North { Some(found) } else { None }
}

#[gpu_fn]
fn nothing(unit: (), pair: ((), u8)) -> ((), u8) {
    let () = unit;
    let (_, x) = pair;
    ((), x)
}

same_as_plain! { values_with_parts:
    tuples(a: (u8, (i32, bool)), b: (i32, i32)) -> ((i32, u8), bool);
    swapped(a: i32, b: i32, c: i32) -> (i32, i32, i32);
    copies(line: Line, x: i32) -> (Line, Line, i32);
    rebuilt(line: Line, by: i32) -> Line;
    tuple_struct(a: Metres, b: Metres) -> (Metres, bool);
    picked(values: [u16; 5], at: usize, to: usize) -> ([u16; 5], u16);
    grid(start: u32, transaction: usize, column: usize) -> ([[u32; 3]; 2], u32);
    records_in_arrays(points: [Point; 3], at: usize) -> (Point, [Point; 3], i32);
    nested_options(a: Option<Option<u8>>, b: Option<Point>) -> (Option<u8>, Option<(bool, i32)>);
    tried(a: Option<i32>, b: i32) -> Option<i32>;
}

mod more {
    use super::*;

    same_as_plain! { more_values_with_parts:
        sorted(values: [i32; 6]) -> [i32; 6];
        deep(values: [(u8, Option<[i8; 2]>); 2], k: usize) -> (i8, [(u8, Option<[i8; 2]>); 2]);
        equal(a: [u8; 3], b: [u8; 3], c: Option<(u8, bool)>, d: Option<(u8, bool)>) -> [bool; 4];
        options(a: Option<i32>, b: Option<i32>) -> (Option<i32>, i32, [bool; 3]);
        turned(heading: Heading, left: bool) -> (Heading, i64, u8);
        headings(all: [Heading; 3], k: usize) -> Option<Heading>;
        nothing(unit: (), pair: ((), u8)) -> ((), u8);
    }
}
