//! Chains that `rev` goes through backwards, after steps that count.

use stm_runtime::prelude::*;

#[gpu_fn]
fn mixed(sum: u32, x: u32) -> u32 {
    sum.wrapping_mul(31).wrapping_add(x)
}

#[gpu_fn]
fn of_arrays(list: [u32; 12], n: usize) -> [u32; 8] {
    let n = n % 5 + 1;
    [
        list.iter().skip(2).step_by(3).take(3).rev().fold(0, |sum, x| mixed(sum, *x)),
        list.iter().step_by(n).rev().fold(0, |sum, x| mixed(sum, *x)),
        list.iter().rev().step_by(n).rev().skip(1).fold(0, |sum, x| mixed(sum, *x)),
        list.iter().step_by(2).enumerate().rev().fold(0, |sum, (k, x)| mixed(sum, x ^ k as u32)),
        list.iter().step_by(2).step_by(n).rev().fold(0, |sum, x| mixed(sum, *x)),
        list.iter()
            .step_by(2)
            .zip(list.iter().step_by(3))
            .rev()
            .fold(0, |sum, (x, y)| mixed(sum, x ^ y.rotate_left(1))),
        list[1..7].iter().skip(n).step_by(2).rev().fold(0, |sum, x| mixed(sum, *x)),
        list.windows(2).step_by(n).rev().fold(0, |sum, pair| mixed(sum, pair[0] ^ pair[1].rotate_left(1))),
    ]
}

#[gpu_fn]
fn of_ranges(list: [u32; 6], n: usize) -> [u32; 6] {
    let n = n % 5 + 1;
    [
        (0..10_u32).skip(n).step_by(3).take(3).rev().fold(0, |sum, x| mixed(sum, x)),
        (-100..100_i8).skip(n).rev().take(150).rev().fold(0, |sum, x| mixed(sum, x as u32)),
        (9..=12_u16).enumerate().rev().fold(0, |sum, (k, x)| mixed(sum, u32::from(x) ^ k as u32)),
        list.iter().zip(0..n as u32).rev().fold(0, |sum, (x, y)| mixed(sum, x ^ y)),
        (0..n).zip(list.iter()).rev().fold(0, |sum, (x, y)| mixed(sum, x as u32 ^ y)),
        (5..2_i32 + n as i32).take(2).rev().fold(0, |sum, x| mixed(sum, x as u32)),
    ]
}

/// Backwards, what `skip` leaves out is not mapped, so it cannot fault.
#[gpu_fn]
fn of_maps(list: [u8; 5], n: usize) -> [u32; 4] {
    let n = n % 7;
    let mut calls = 0;
    let sum = list.iter().map(|x| 1000 / u32::from(*x)).skip(n).rev().fold(0, |sum, x| mixed(sum, x));
    let mut last = 0;
    for (k, x) in list.iter().map(|x| u32::from(x % 9)).enumerate().rev() {
        last = mixed(last, x ^ k as u32);
    }
    let pairs = list
        .iter()
        .map(|x| (u32::from(*x), 1))
        .map(|(x, y)| {
            calls += y;
            x
        })
        .enumerate()
        .skip(1)
        .rev()
        .fold(0, |sum, (k, x)| mixed(sum, x ^ k as u32));
    [sum, last, pairs, calls]
}

#[gpu_fn]
fn in_place(list: [u32; 7], n: usize) -> ([u32; 7], Option<usize>) {
    let mut list = list;
    for (k, x) in list.iter_mut().step_by(n % 3 + 1).enumerate().rev() {
        *x = mixed(*x, k as u32);
    }
    for k in (1..7).skip(n % 9).rev() {
        list[k] ^= list[k - 1];
    }
    (list, list.iter().step_by(2).rposition(|x| x % 3 == 0))
}

same_as_plain! { elements_in_reverse_are_those_of_rust:
    of_arrays(list: [u32; 12], n: usize) -> [u32; 8];
    of_ranges(list: [u32; 6], n: usize) -> [u32; 6];
    of_maps(list: [u8; 5], n: usize) -> [u32; 4];
    in_place(list: [u32; 7], n: usize) -> ([u32; 7], Option<usize>);
}

/// A step of 0 is a fault, as in Rust.
#[gpu_fn]
fn stepped(list: [u32; 4], n: usize) -> u32 {
    list.iter().step_by(n % 3).take(2).rev().fold(0, |sum, x| mixed(sum, *x))
}

mod steps {
    use super::*;

    same_as_plain! { a_step_of_zero_faults:
        stepped(list: [u32; 4], n: usize) -> u32;
    }
}
