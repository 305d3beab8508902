//! Assignments to several places at once.

#![allow(unused_assignments, reason = "a place that gets two values shows their order")]

use stm_runtime::prelude::*;

use crate::values::{Line, Point};

#[gpu_fn]
fn swapped(a: i32, b: i32, c: i32) -> (i32, i32, i32) {
    let (mut a, mut b, mut c) = (a, b, c);
    (a, b) = (b, a);
    (c, (b, _)) = (a, (c, 1));
    (a, ..) = (a ^ b, b, c);
    (a, a) = (c, a);
    (a, b, c)
}

/// Assigns to fields, elements, and through a `&mut` parameter, in the order of the places.
#[gpu_fn]
fn turned(line: &mut Line, list: &mut [i32; 3], at: usize) -> usize {
    let mut at = at;
    (line.from.x, line.to) = (line.to.y, line.from);
    (at, list[at]) = (1, line.to.x);
    (list[at], list[0]) = (list[0], list[at]);
    Point { x: line.from.y, y: list[2] } = line.to;
    at
}

#[gpu_fn]
fn places(line: Line, list: [i32; 3], at: usize) -> (Line, [i32; 3], usize) {
    let (mut line, mut list) = (line, list);
    let at = turned(&mut line, &mut list, at);
    (line, list, at)
}

/// Evaluates the value before the places, and an index out of bounds after the assignments before it.
#[gpu_fn]
fn in_order(list: [i32; 2], at: usize, by: i32) -> ([i32; 2], usize) {
    let (mut list, mut next, mut sum) = (list, 0, 9);
    (_, next) = (sum, at);
    (next, list[next], sum) = (next & 1, 5 / by, 4 / (by & 3));
    (list[next], _) = (sum, list[0]);
    (_, sum) = {
        next = 0;
        (1, list[next] / 2)
    };
    list[1] = sum;
    (list, next)
}

#[gpu_fn]
fn fibonacci(n: u8) -> u64 {
    let (mut a, mut b) = (0, 1_u64);
    for _ in 0..n % 60 {
        (a, b) = (b, a + b);
    }
    a
}

same_as_plain! { several_places_at_once:
    swapped(a: i32, b: i32, c: i32) -> (i32, i32, i32);
    places(line: Line, list: [i32; 3], at: usize) -> (Line, [i32; 3], usize);
    in_order(list: [i32; 2], at: usize, by: i32) -> ([i32; 2], usize);
    fibonacci(n: u8) -> u64;
}
