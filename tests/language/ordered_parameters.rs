//! Parameters for types with the bounds `Ord` and `PartialOrd`: of numbers, and of records and enums that derive them.

use std::cmp::Ordering;

use stm_runtime::prelude::*;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, GpuData)]
struct Key {
    level: u32,
    score: i32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, GpuData)]
enum Rank {
    Low,
    Mid(u32),
    High,
}

#[gpu_fn]
fn larger<T: Copy + Ord>(a: T, b: T) -> T {
    if a > b { a } else { b }
}

#[gpu_fn]
fn most<T: Copy + Ord>(a: T, b: T) -> T {
    a.max(b)
}

#[gpu_fn]
fn least<T: Copy + Ord + GpuData>(a: T, b: T) -> T {
    a.min(b)
}

#[gpu_fn]
fn three<T: Copy + Ord + GpuData>(list: [T; 3]) -> T {
    list[0].max(list[1]).max(list[2])
}

#[gpu_fn]
fn compared<T: Copy + Ord>(a: T, b: T) -> i32 {
    match a.cmp(&b) {
        Ordering::Less => -1,
        Ordering::Equal => 0,
        Ordering::Greater => 1,
    }
}

#[gpu_fn]
fn partial<T: Copy + PartialOrd>(a: T, b: T) -> i32 {
    match a.partial_cmp(&b) {
        Some(Ordering::Less) => -1,
        Some(Ordering::Equal) => 0,
        Some(Ordering::Greater) => 1,
        None => 7,
    }
}

#[gpu_fn]
fn clamped<T: Copy + Ord>(a: T, lo: T, hi: T) -> T {
    if lo <= hi { a.clamp(lo, hi) } else { a }
}

#[gpu_fn]
fn std_max<T: Copy + Ord>(a: T, b: T) -> T {
    std::cmp::max(a, b)
}

#[gpu_fn]
fn by_ref<'a, T: Ord>(a: &'a T, b: &'a T) -> &'a T {
    if a >= b { a } else { b }
}

#[gpu_fn]
fn best_of<T: Copy + Ord, const N: usize>(list: [T; N]) -> T {
    let mut best = list[0];
    for x in list.iter() {
        if *x > best {
            best = *x;
        }
    }
    best
}

#[gpu_fn]
fn sorted<T: Copy + Ord>(list: [T; 3]) -> [T; 3] {
    let mut l = list;
    l.sort_unstable();
    l
}

#[gpu_fn]
fn greater(a: i32, b: i32, c: u32) -> (i32, i32, i32, i32, i32, i32, i32) {
    let x = Key { level: c % 3, score: a };
    let y = Key { level: c % 2, score: b };
    (
        larger(a, b),
        most(a, b),
        least(a, b),
        larger(x, y).score,
        most(x, y).score,
        least(x, y).score,
        three([x, y, x]).score,
    )
}

#[gpu_fn]
fn orders(a: i32, b: i32, c: u32) -> (i32, i32, i32, i32, i32) {
    let x = Key { level: c % 3, score: a };
    let y = Key { level: c % 2, score: b };
    (compared(a, b), compared(x, y), partial(a, b), partial(x, y), clamped(a, b, 7))
}

#[gpu_fn]
fn references_and_lists(a: i32, b: i32, c: u32) -> (i32, i32, i32, i32, i32, i32) {
    let x = Key { level: c % 3, score: a };
    let y = Key { level: c % 2, score: b };
    let r = if a > 3 { Rank::Mid(c) } else { Rank::High };
    let big = larger(r, Rank::Mid(4));
    let k = match big {
        Rank::Low => 0,
        Rank::Mid(n) => n as i32,
        Rank::High => -1,
    };
    (std_max(a, b), std_max(x, y).score, by_ref(&x, &y).score, best_of([x, y]).score, sorted([x, y, x])[1].score, k)
}

#[gpu_fn]
fn numbers(a: i32, b: f32) -> (i32, f32, u32, i64, bool) {
    (larger(a, 3), if partial(b, 2.0) == 1 { b } else { 1.0 }, most(3_u32, 4), larger(1, 2_i64), most(a > 3, true))
}

same_as_plain! { parameters_have_the_order_of_their_types:
    greater(a: i32, b: i32, c: u32) -> (i32, i32, i32, i32, i32, i32, i32);
    orders(a: i32, b: i32, c: u32) -> (i32, i32, i32, i32, i32);
    references_and_lists(a: i32, b: i32, c: u32) -> (i32, i32, i32, i32, i32, i32);
    numbers(a: i32, b: f32) -> (i32, f32, u32, i64, bool);
}
