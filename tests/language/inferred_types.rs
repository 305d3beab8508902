//! Calls of functions with parameters for types: the arguments, the result, or other calls say which types these are.

use std::ops::Add;

use stm_runtime::prelude::*;

#[derive(Debug, Clone, Copy, PartialEq, Default, GpuData)]
struct Cfg {
    a: u32,
    b: i64,
}

#[gpu_fn]
fn scaled<const K: u32>(x: u32) -> u32 {
    x / 8 * K
}

#[gpu_fn]
fn first_of<T: Copy>(list: [T; 2]) -> T {
    list[0]
}

#[gpu_fn]
fn zero<T: Default>() -> T {
    T::default()
}

#[gpu_fn]
fn same<T: Copy>(x: T) -> T {
    x
}

#[gpu_fn]
fn larger<T: Copy + PartialOrd>(a: T, b: T) -> T {
    if a > b { a } else { b }
}

#[gpu_fn]
fn or_default<T: Copy + Default>(x: Option<T>) -> T {
    x.unwrap_or_default()
}

#[gpu_fn]
fn reset<T: Copy + Default>(x: &mut T) -> T {
    let old = *x;
    *x = T::default();
    old
}

#[gpu_fn]
fn sum<T: Copy + Default + Add<Output = T>>(a: T, b: T) -> T {
    T::default() + a + b
}

#[gpu_fn]
fn stated(x: u32) -> (u32, u32, u32) {
    (scaled::<4>(x), first_of::<u32>([x, 1]), first_of::<_>([x, 2]))
}

#[gpu_fn]
fn zeros(x: u32) -> (u32, i64) {
    let z: u32 = zero();
    let c: Cfg = zero();
    (z ^ x, c.b ^ zero::<i64>())
}

#[gpu_fn]
fn larger_of(x: u32, y: i64) -> (u32, i64) {
    (larger(same(x), same(3)), same(larger(same(4), y)))
}

#[gpu_fn]
fn defaults(x: u32, y: i64) -> (u32, i64) {
    let mut v = x;
    let o = reset(&mut v);
    (or_default(Some(x)) ^ v ^ o, or_default(None::<i64>) ^ y)
}

#[gpu_fn]
fn sums(x: u32, y: i64) -> (u32, i64) {
    (sum(sum(x / 8, 1), 2), sum(same(y / 8), same(1)))
}

#[gpu_fn]
fn literals_first(x: u32, y: i64) -> (u32, i64) {
    (sum(same(1), x / 8), sum(first_of([1, 2]), y / 8))
}

#[gpu_fn]
fn of_types(x: u32) -> (u32, i64) {
    let c = Cfg::default();
    let d: u32 = Default::default();
    let e = u32::default();
    (c.a ^ d ^ e ^ x, sum(1, 2))
}

#[gpu_fn]
trait Scale: Copy {
    const BY: Self;
    fn scaled(self) -> Self;
    fn made(x: u32) -> Self;
}

#[derive(Debug, Clone, Copy, PartialEq, Default, GpuData)]
struct M(u32);

#[gpu_fn]
impl Scale for u32 {
    const BY: u32 = 3;
    fn scaled(self) -> u32 {
        self / 4
    }
    fn made(x: u32) -> u32 {
        x
    }
}

#[gpu_fn]
impl Scale for i64 {
    const BY: i64 = 3;
    fn scaled(self) -> i64 {
        self / 5
    }
    fn made(x: u32) -> i64 {
        x as i64
    }
}

#[gpu_fn]
impl Scale for M {
    const BY: M = M(4);
    fn scaled(self) -> M {
        M(self.0 ^ Self::BY.0)
    }
    fn made(x: u32) -> M {
        M(x)
    }
}

#[gpu_fn]
fn scaled_down<T: Scale>(x: T) -> T {
    x.scaled()
}

#[gpu_fn]
fn both<T: Scale>(x: T, y: T) -> (T, T) {
    (x.scaled(), scaled_down(y))
}

#[gpu_fn]
fn scaled_twice<T: Scale>(x: T) -> T {
    scaled_down(scaled_down(x))
}

#[gpu_fn]
fn nested<T: Scale>(x: T) -> T {
    let a = both(scaled_down(x), x);
    let (b, _) = both(a.1, a.0);
    b
}

#[gpu_fn]
fn make<T: Scale>(x: u32) -> T {
    scaled_down(T::made(x))
}

#[gpu_fn]
fn id<T: Copy>(x: T) -> T {
    x
}

#[gpu_fn]
fn pick<T: Copy>(c: bool, x: T, y: T) -> T {
    if c { x } else { y }
}

#[gpu_fn]
fn of_calls(x: u32, y: i64) -> (u32, i64, u32) {
    (scaled_down(x), scaled_down(scaled_down(y)), scaled_down(scaled_down(M(x))).0)
}

#[gpu_fn]
fn in_helpers(x: u32, y: i64) -> (u32, i64, u32) {
    (scaled_twice(x), nested(y), nested(scaled_twice(M(x))).0)
}

#[gpu_fn]
fn of_chosen(x: u32, y: i64) -> (u32, i64, u32) {
    (scaled_down(id(x)), scaled_down(id(id(y))), scaled_down(pick(x > 3, M(x), M(4))).0)
}

#[gpu_fn]
fn of_one_argument(x: u32, y: i64) -> (u32, i64, u32) {
    (both(x, 3).1, both(3, y).0, both(id(3), x).0)
}

#[gpu_fn]
fn of_results(x: u32, y: i64) -> (u32, i64, u32) {
    let k: u32 = scaled_down(5);
    let m: M = make(x);
    (k, make::<i64>(x) ^ y, m.0)
}

#[gpu_fn]
fn of_parts(x: u32, y: i64) -> (u32, i64, u32) {
    let t = (x, y);
    let l = [M(x), M(3)];
    (scaled_down(t.0), scaled_down(t.1), scaled_down(l[1]).0)
}

#[gpu_fn]
fn of_variables(x: u32, y: i64) -> (u32, i64) {
    let mut n = 0;
    if x > 3 {
        n = x;
    }
    let mut k = 0;
    k += y;
    (scaled_down(n), scaled_down(k))
}

#[gpu_fn]
fn of_options(x: u32, o: Option<u32>) -> (u32, u32, u32) {
    let a = match o {
        Some(v) => scaled_down(v),
        None => scaled_down(1),
    };
    let b = o.map(|v| scaled_down(v)).unwrap_or(3);
    let c = o.map(scaled_down).unwrap_or(3);
    (a, b, c ^ x)
}

#[gpu_fn]
fn of_loops(x: u32) -> u32 {
    let l = [x, 1, 2];
    let mut s = 0;
    for v in l {
        s ^= scaled_down(v);
    }
    for k in 0..3 {
        s ^= scaled_down(k);
    }
    for k in 0..3_usize {
        s ^= scaled_down(l[k]);
    }
    s ^ l.iter().map(|v| scaled_down(*v)).fold(0, |a, b| a ^ b)
}

#[gpu_fn]
fn of_operators(x: u32) -> u32 {
    scaled_down(x + 1 / 2)
        ^ scaled_down(x / 2 ^ 5)
        ^ scaled_down(if x > 1 { x } else { 2 })
        ^ scaled_down((x as u64 / 3) as u32)
}

same_as_plain! { the_types_of_a_call_follow_from_what_is_around_it:
    stated(x: u32) -> (u32, u32, u32);
    zeros(x: u32) -> (u32, i64);
    larger_of(x: u32, y: i64) -> (u32, i64);
    defaults(x: u32, y: i64) -> (u32, i64);
    sums(x: u32, y: i64) -> (u32, i64);
    literals_first(x: u32, y: i64) -> (u32, i64);
    of_types(x: u32) -> (u32, i64);
    of_calls(x: u32, y: i64) -> (u32, i64, u32);
    in_helpers(x: u32, y: i64) -> (u32, i64, u32);
    of_chosen(x: u32, y: i64) -> (u32, i64, u32);
    of_one_argument(x: u32, y: i64) -> (u32, i64, u32);
    of_results(x: u32, y: i64) -> (u32, i64, u32);
    of_parts(x: u32, y: i64) -> (u32, i64, u32);
    of_variables(x: u32, y: i64) -> (u32, i64);
    of_options(x: u32, o: Option<u32>) -> (u32, u32, u32);
    of_loops(x: u32) -> u32;
    of_operators(x: u32) -> u32;
}
