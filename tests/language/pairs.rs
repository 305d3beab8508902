//! `zip` and comparisons with any chain, and chains that are taken backwards.

use stm_runtime::prelude::*;

/// Mixes pairs in their order.
#[gpu_fn]
fn mix(sum: u32, x: u32, y: u32) -> u32 {
    sum.wrapping_mul(31).wrapping_add(x.wrapping_mul(7) ^ y)
}

#[gpu_fn]
fn ranges(n: u8) -> [u32; 5] {
    let n = u32::from(n % 9);
    [
        (0..3_u32).zip((0..n).rev()).fold(n, |sum, (x, y)| mix(sum, x, y)),
        (0..6_u32).zip((1..=n).rev()).fold(n, |sum, (x, y)| mix(sum, x, y)),
        (0..6_u32).zip((0..4 * n).step_by(3)).fold(n, |sum, (x, y)| mix(sum, x, y)),
        (0..n).rev().zip((-9..9_i8).step_by(4).rev()).fold(n, |sum, (x, y)| mix(sum, x, y as u32)),
        (250..=255_u8).zip((0..n).rev().chain(7..9)).fold(n, |sum, (x, y)| mix(sum, x.into(), y)),
    ]
}

#[gpu_fn]
fn selective(a: [u8; 5], n: usize) -> [u32; 8] {
    let list = a.map(|x| u32::from(x % 8));
    let n = n % 6;
    [
        list.iter().zip((1..=9_u32).filter(|x| x % 2 == 1)).fold(0, |sum, (x, y)| mix(sum, *x, y)),
        list.iter().zip(list.iter().skip_while(|x| **x < 5)).fold(0, |sum, (x, y)| mix(sum, *x, *y)),
        list.iter().zip(list.iter().filter_map(|x| x.checked_sub(2))).fold(0, |sum, (x, y)| mix(sum, *x, y)),
        list.iter().zip(list.iter().take_while(|x| **x < 7)).fold(0, |sum, (x, y)| mix(sum, *x, *y)),
        list.iter()
            .zip(list.iter().enumerate().filter(|(k, _)| k % 2 == 0))
            .fold(0, |sum, (x, (k, y))| mix(sum, *x, y + k as u32)),
        list.iter().zip(list.iter().map(|x| x + 1).skip(n).take(2)).fold(0, |sum, (x, y)| mix(sum, *x, y)),
        list.iter().zip(list.iter().step_by(n + 1).chain(list.iter().rev())).fold(0, |sum, (x, y)| mix(sum, *x, *y)),
        list.iter()
            .zip(list.iter().cycle().skip(n).filter(|x| **x != 3).take(3))
            .fold(0, |sum, (x, y)| mix(sum, *x, *y)),
    ]
}

/// The closures of both sides run as often, and in the same order, as in Rust.
#[gpu_fn]
fn effects(a: [u8; 4], b: [u8; 4]) -> (u32, u32, u32) {
    let (mut order, mut sum, mut state) = (1_u32, 0, 5);
    for (x, y) in a.iter().filter(|x| **x % 3 > 0).zip(b.iter().scan(7, |state: &mut u8, x| {
        *state = state.wrapping_add(*x);
        (*state > 30).then_some(*state)
    })) {
        sum = mix(sum, u32::from(*x), u32::from(y));
    }
    let pairs = a
        .iter()
        .inspect(|_| order = order.wrapping_mul(2))
        .zip(b.iter().inspect(|x| state ^= u32::from(**x)).filter(|x| **x > 99))
        .count();
    (order, sum, state + pairs as u32)
}

#[gpu_fn]
fn compared(a: [u8; 3], b: [u8; 4]) -> [bool; 4] {
    [
        a.iter().filter(|x| **x > 99).eq(b.iter().filter(|x| **x > 99)),
        a.iter().rev().lt(b.iter().skip(1).step_by(2).rev()),
        (0..a[0] % 4).rev().eq((0..b[0] % 4).rev()),
        a.iter().map(|x| x % 2).ge((0..3).rev()),
    ]
}

same_as_plain! { pairs_are_those_of_rust:
    ranges(n: u8) -> [u32; 5];
    selective(a: [u8; 5], n: usize) -> [u32; 8];
    effects(a: [u8; 4], b: [u8; 4]) -> (u32, u32, u32);
    compared(a: [u8; 3], b: [u8; 4]) -> [bool; 4];
}
