//! Calls whose arguments are calls of functions that return any type: what is around them says which one.

use std::ops::Add;

use stm_runtime::prelude::*;

#[gpu_fn]
fn zero<T: Default>() -> T {
    T::default()
}

#[gpu_fn]
fn zero_of<T: Default>(_x: u32) -> T {
    T::default()
}

#[gpu_fn]
fn same<T: Copy>(x: T) -> T {
    x
}

#[gpu_fn]
fn fee(x: i64) -> i64 {
    x / 2
}

#[gpu_fn]
fn three(a: u8, b: i64, c: u32) -> i64 {
    a as i64 ^ b ^ c as i64
}

#[gpu_fn]
fn larger<T: Copy + PartialOrd>(a: T, b: T) -> T {
    if a > b { a } else { b }
}

#[gpu_fn]
fn sum<T: Copy + Add<Output = T>>(a: T, b: T) -> T {
    a + b
}

#[gpu_fn]
trait Unit: Copy {
    const ONE: Self;
    fn half(self) -> Self;
}

#[gpu_fn]
impl Unit for u32 {
    const ONE: u32 = 1;
    fn half(self) -> u32 {
        self / 2
    }
}

#[gpu_fn]
impl Unit for i64 {
    const ONE: i64 = 1;
    fn half(self) -> i64 {
        self / 2
    }
}

#[gpu_fn]
fn half<T: Unit>(a: T) -> T {
    a.half()
}

#[gpu_fn]
fn halves<T: Unit>(a: T, b: T) -> T {
    let c = a.half();
    let _ = b;
    c
}

#[gpu_fn]
fn one<T: Unit>() -> T {
    T::ONE
}

#[gpu_fn]
fn of_functions(x: i64, y: u32) -> (i64, i64, i64) {
    let z = zero();
    (fee(zero()) ^ fee(z) ^ x, fee(same(3)), three(zero(), same(4), same(y)))
}

#[gpu_fn]
fn of_operators(x: i64, y: u32) -> (i64, u32, u32) {
    (larger(x, zero()), larger(same(2), y), sum(zero(), y / 2))
}

#[gpu_fn]
fn of_traits(x: i64, y: u32) -> (i64, u32, i64) {
    (halves(x, zero()), halves(same(2), y), halves(same(same(7)), fee(x)))
}

#[gpu_fn]
fn of_results(x: i64, y: u32) -> (i64, u32) {
    let h: i64 = one();
    let s: u32 = sum(1, 2);
    let k = halves(y, 1);
    (x ^ half(h), k ^ s)
}

#[gpu_fn]
fn of_variables(x: i64) -> i64 {
    let z = zero();
    let h = half(x);
    let mut t = h;
    t ^= half(z ^ h);
    t ^ larger(z, 1)
}

same_as_plain! { what_a_call_leaves_open_follows_from_others:
    of_functions(x: i64, y: u32) -> (i64, i64, i64);
    of_operators(x: i64, y: u32) -> (i64, u32, u32);
    of_traits(x: i64, y: u32) -> (i64, u32, i64);
    of_results(x: i64, y: u32) -> (i64, u32);
    of_variables(x: i64) -> i64;
}
