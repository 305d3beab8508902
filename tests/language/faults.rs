//! Panics: the fault code and source location of each, also in functions.

use stm_runtime::prelude::*;

#[gpu_fn]
fn asserts(x: u32, y: u32) -> u32 {
    assert!(x != 3);
    assert!(y < 200, "y is small");
    assert_eq!(x & 1, y & 1, "parity");
    assert_ne!(x, 8);
    debug_assert!(y != 10, "only in a debug build");
    debug_assert_eq!(x, x, "never");
    x / 2 + y / 2
}

#[gpu_fn]
fn panics(x: u32) -> u32 {
    match x {
        0 => panic!(),
        1 => panic!("one"),
        2 => unreachable!(),
        3 => unreachable!("three"),
        4 => todo!(),
        5 => unimplemented!("five"),
        _ => x,
    }
}

#[gpu_fn]
fn unwraps(a: Option<u8>, b: Option<(u8, Option<i32>)>) -> (u8, i32) {
    let (x, inner) = b.expect("b is there");
    if x > 3 {
        return (a.unwrap(), 1);
    }
    let y = inner.unwrap();
    (x, y)
}

#[gpu_fn]
fn arithmetic(a: i8, b: i8, c: u32) -> i8 {
    let sum = a + b;
    let product = a * b;
    let quotient = sum / b;
    let rest = product % a;
    let negative = -quotient;
    let shifted = rest << c;
    shifted - negative
}

#[gpu_fn]
fn assigned(a: u8, b: u8) -> u8 {
    let mut x = a;
    x += b;
    x *= 2;
    x -= 7;
    x /= b;
    x %= a;
    x <<= b;
    x >>= a;
    x
}

#[gpu_fn]
fn methods(a: i32, b: u32) -> u32 {
    let power = a.pow(b & 7);
    let log = b.ilog2();
    let rest = a.rem_euclid(power);
    let up = b.next_power_of_two();
    log / 2 + up / 2 + rest.unsigned_abs() / 2 + a.abs() as u32
}

#[gpu_fn]
fn steps(step: usize, n: u8) -> u32 {
    let mut count = 0;
    for _ in (0..n).step_by(step) {
        count += 1;
    }
    count
}

#[gpu_fn]
fn divided(a: i32, b: i32) -> i32 {
    let list = [a, b];
    list[1] / list[0]
}

/// Faults inside the function: the location is there, not at the call.
#[gpu_fn]
fn called(a: i32, b: i32) -> i32 {
    if a > 5 {
        return divided(b, a);
    }
    divided(a, b) / 2 + divided(b, 7)
}

/// Computes an unused result, which still faults.
#[gpu_fn]
fn unused(a: u8, b: u8) -> u8 {
    let _ = a + b;
    let _unused = a * b;
    _ = a - b;
    1
}

same_as_plain! { faults_are_the_panics:
    asserts(x: u32, y: u32) -> u32;
    panics(x: u32) -> u32;
    unwraps(a: Option<u8>, b: Option<(u8, Option<i32>)>) -> (u8, i32);
    arithmetic(a: i8, b: i8, c: u32) -> i8;
    assigned(a: u8, b: u8) -> u8;
    methods(a: i32, b: u32) -> u32;
    steps(step: usize, n: u8) -> u32;
    called(a: i32, b: i32) -> i32;
    unused(a: u8, b: u8) -> u8;
}
