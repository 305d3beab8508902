//! Closures of `Option` and `bool`, references to local values, patterns of arrays, and alternatives with variables.

use stm_runtime::prelude::*;

use crate::harness::{Bench, End, everywhere};
use crate::values::Point;

#[gpu_fn]
fn half(x: i32) -> Option<i32> {
    if x % 2 == 0 { Some(x / 2) } else { None }
}

#[gpu_fn]
fn twice(x: i32) -> i32 {
    x * 2
}

#[gpu_fn]
fn options(maybe: Option<i32>, other: Option<u8>, by: i32) -> ([Option<i32>; 7], [i64; 6], [bool; 4]) {
    let mut seen = 0_i64;
    let made = [
        maybe.map(|x| x / 3 + by / 3),
        maybe.map(|x| x / 4).map(twice),
        maybe.and_then(half).and_then(|x| x.checked_sub(by)),
        maybe.filter(|x| *x > by),
        maybe.or_else(|| half(by)),
        maybe.inspect(|x| seen = *x as i64).and_then(|x| x.checked_add(1)),
        (by > 0).then(|| by / 2),
    ];
    let values = [
        maybe.map_or(5, |x| x as i64 - by as i64),
        maybe.unwrap_or_else(|| by / 7) as i64,
        other.map_or_else(|| by as i64, |x| x as i64 * 2),
        other.map(u64::from).unwrap_or(3) as i64,
        maybe.as_ref().map(|x| *x as i64).unwrap_or(1),
        seen,
    ];
    let truths = [
        maybe.is_some_and(|x| x < by),
        other.is_none_or(|x| x % 2 == 0),
        other.map(|x| x.is_multiple_of(3)).unwrap_or(false),
        (by as u32).is_multiple_of(other.map_or(0, u32::from)),
    ];
    (made, values, truths)
}

/// Faults in closures, where rustc's code panics too.
#[gpu_fn]
fn faulting(maybe: Option<u8>, by: u8) -> u8 {
    let quotient = maybe.map(|x| x / by).unwrap_or(1);
    maybe.unwrap_or_else(|| panic!("no value for {by}")) + quotient
}

#[gpu_fn]
fn references(point: Point, list: [i16; 4], maybe: Option<i16>, at: usize) -> (i64, Point, [i16; 4]) {
    let (mut point, mut list) = (point, list);
    let shared = &list;
    let first = &shared[0];
    let mut sum = *first as i64 + shared[1] as i64 + (*shared)[2] as i64;
    let part = &point.x;
    sum += *part as i64;
    if let Some(x) = &maybe {
        sum -= *x as i64;
    }
    match &point {
        Point { x: 0, .. } => sum += 1,
        Point { y, .. } if *y > 5 => sum += 2,
        Point { x, y } => sum += *x as i64 / 2 - *y as i64 / 2,
    }
    let Point { x: ref other, .. } = point;
    sum ^= *other as i64;
    let element = &mut list[at];
    *element /= 2;
    *element ^= 9;
    let whole = &mut point;
    whole.x /= 2;
    let part = &mut whole.y;
    *part = *part / 3 + *element as i32;
    add(part, 1);
    (sum, point, list)
}

#[gpu_fn]
fn add(to: &mut i32, value: i32) {
    *to = to.wrapping_add(value);
}

#[gpu_fn]
fn arrays(list: [u8; 4], pairs: [(u8, bool); 2], grid: [[i8; 2]; 2]) -> [u32; 7] {
    let [a, b, _, d] = list;
    let [first, .., last] = list;
    let [.., before, _] = list;
    let [[x, _], [_, y]] = grid;
    let [(small, yes), _] = pairs;
    let kind = match list {
        [0, ..] => 1,
        [_, 0 | 7, .., 3..=255] => 2,
        [a, b, ..] if a == b => 3,
        [.., 200..=255] => 4,
        _ => 5,
    };
    let both = if let [(n, true), (m, _)] = &pairs { *n as u32 * *m as u32 } else { 9 };
    [
        a as u32 * 2 + b as u32 * 3 + d as u32,
        first as u32 * 2 + last as u32,
        before as u32,
        (x as i32 - y as i32).unsigned_abs(),
        small as u32 + yes as u32,
        kind,
        both,
    ]
}

/// Where a guard is false for one alternative, the next one is tried.
#[gpu_fn]
fn guarded(a: Option<i32>, b: Option<i32>, pair: (u8, u8), least: i32) -> [i32; 5] {
    let (least, pair) = (least % 8, (pair.0 % 4, pair.1 % 4));
    let mut count = 0;
    let first = match (a, b) {
        (Some(x), _) | (_, Some(x)) if x % 8 > least => x,
        _ => 1,
    };
    let second = match [(pair.0, 1), (pair.1, 2)] {
        [(x, _) | (_, x), (y, _) | (_, y)] if x + y == 4 => (10 * x + y) as i32,
        _ => 2,
    };
    let third = match pair {
        (1, _) | (_, 1)
            if {
                count += 1;
                count == 2
            } =>
        {
            3
        }
        (2 | 3, n) if n as i32 > least => 4,
        _ => count,
    };
    [first, second, third, matches!(pair, (x, _) | (_, x) if x > 2) as i32, count]
}

#[gpu_fn]
fn alternatives(pair: (u8, i32), a: Option<i32>, b: Option<i32>, point: Point) -> [i64; 5] {
    let first = match (a, b) {
        (Some(x), _) | (None, Some(x)) => x as i64,
        (None, None) => -1,
    };
    let second = match pair {
        (0 | 1, n) | (2..=9, n @ 1..) => n as i64,
        (k, n) if n == 0 => k as i64,
        _ => 4,
    };
    let third = match point {
        Point { x: 0, y: n } | Point { x: n, y: 0 } => n as i64 + 100,
        Point { x: n, .. } => n as i64 / 2,
    };
    let Some(fourth) = a else { return [first, second, third, 0, 0] };
    let fifth = if let (Some(n), _) | (_, Some(n)) = (b, a)
        && n > 3
    {
        n as i64
    } else {
        7
    };
    [first, second, third, fourth as i64, fifth]
}

#[gpu_fn]
fn conversions(n: u32, wide: i64, bytes: [u8; 4], maybe: Option<u32>) -> ([u64; 6], [u8; 12], [Option<u32>; 4]) {
    let small = u8::try_from(wide).unwrap_or(7);
    let signed = if let Ok(x) = i32::try_from(n) { x } else { -1 };
    let Ok(low) = u16::try_from(n / 2) else { return ([0; 6], [1; 12], [None; 4]) };
    let kind = match u64::try_from(wide) {
        Ok(x) if x > 5 => x,
        Ok(_) => 2,
        Err(_) => 3,
    };
    let wider: u64 = n.into();
    let whole = i64::from(small) + i64::try_from(n).unwrap();
    let (mut held, mut slots) = (maybe, [maybe, Some(n)]);
    let was = held.take();
    let old = slots[1].replace(n / 3);
    let is = i8::try_from(wide).is_ok() as u64 + u32::try_from(wide).ok().map_or(0, |x| x as u64);
    let [a, b, c, d] = n.to_le_bytes();
    let [e, f, ..] = wide.to_be_bytes();
    let [g, h] = low.to_ne_bytes();
    (
        [
            wider,
            kind,
            whole as u64,
            signed as u64,
            is,
            u32::from_le_bytes(bytes) as u64 ^ i16::from_be_bytes([a, b]) as u64,
        ],
        [a, b, c, d, e, f, g, h, 200_u8.to_le_bytes()[0], small, (-5_i16).to_be_bytes()[1], 0],
        [held, was, old, slots[1]],
    )
}

/// Constants and `use` inside of a function, conditional statements, messages with values, unit statements.
#[gpu_fn]
fn inside(n: u32, list: [u32; 3]) -> u32 {
    const LIMIT: u32 = 400;
    const SIZE: usize = 3;
    use crate::values::Point as Place;
    let mut sums = [0; SIZE];
    for (sum, x) in sums.iter_mut().zip(list) {
        *sum = x.min(LIMIT) + Place { x: 1, y: 2 }.x as u32;
    }
    let mut total = sums.iter().sum::<u32>();
    #[cfg(debug_assertions)]
    {
        total += 1;
    }
    #[cfg(not(debug_assertions))]
    {
        total += 0;
    }
    #[cfg(test)]
    assert!(total < 900, "the total of {n} is {}, and {total:>5}", total + 1);
    match n {
        0 => total = 3,
        _ => (),
    }
    ();
    total
}

same_as_plain! { closures_references_and_patterns_are_rusts:
    options(maybe: Option<i32>, other: Option<u8>, by: i32) -> ([Option<i32>; 7], [i64; 6], [bool; 4]);
    faulting(maybe: Option<u8>, by: u8) -> u8;
    references(point: Point, list: [i16; 4], maybe: Option<i16>, at: usize) -> (i64, Point, [i16; 4]);
    arrays(list: [u8; 4], pairs: [(u8, bool); 2], grid: [[i8; 2]; 2]) -> [u32; 7];
    guarded(a: Option<i32>, b: Option<i32>, pair: (u8, u8), least: i32) -> [i32; 5];
    alternatives(pair: (u8, i32), a: Option<i32>, b: Option<i32>, point: Point) -> [i64; 5];
    conversions(n: u32, wide: i64, bytes: [u8; 4], maybe: Option<u32>) -> ([u64; 6], [u8; 12], [Option<u32>; 4]);
    inside(n: u32, list: [u32; 3]) -> u32;
}

const MOST: i16 = 6;

/// States its footprint by a constant.
#[gpu_transaction(max_accesses = MOST)]
fn stated(tx: &mut Tx, cells: &Shared<u32>, (n, last): (u32, u32)) -> TxResult<u32> {
    const STEP: u32 = 2;
    let mut sum = 0;
    for k in (0..n).step_by(STEP as usize) {
        sum += tx.read(cells, k)?;
    }
    tx.write(cells, last, sum)?;
    Ok(sum)
}

#[test]
fn a_constant_states_the_footprint() {
    let facts = stated::kernel().facts().expect("it compiles");
    assert_eq!((facts.indexed, facts.stated), (6, true), "{facts:?}");
    everywhere("a stated constant", |environment| {
        let cells = environment.shared(&(0..20).collect::<Vec<u32>>())?;
        let mut bench = Bench::new(environment);
        bench.call("six".into(), stated::call(&cells, (12, 19)), End::Value(30));
        bench.finish(environment)
    });
}
