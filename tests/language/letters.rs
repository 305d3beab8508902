//! Letters, `Ordering`, and methods of arrays.

use std::cmp::Ordering;

use stm_runtime::prelude::*;

use crate::harness::same_as_plain;

#[gpu_fn]
fn letters(letter: char, byte: u8) -> ([bool; 11], [bool; 4], [char; 2], [u8; 2]) {
    let letter = (u32::from(letter) as u8 % 160) as char;
    (
        [
            letter.is_ascii(),
            letter.is_ascii_alphabetic(),
            letter.is_ascii_alphanumeric(),
            letter.is_ascii_control(),
            letter.is_ascii_digit(),
            letter.is_ascii_graphic(),
            letter.is_ascii_hexdigit(),
            letter.is_ascii_lowercase(),
            letter.is_ascii_punctuation(),
            letter.is_ascii_uppercase(),
            letter.is_ascii_whitespace(),
        ],
        [byte.is_ascii(), byte.is_ascii_digit(), byte.is_ascii_uppercase(), (byte % 64).is_ascii_whitespace()],
        [letter.to_ascii_lowercase(), letter.to_ascii_uppercase()],
        [byte.to_ascii_uppercase(), (byte / 2).to_ascii_lowercase()],
    )
}

#[gpu_fn]
fn compared(a: u8, b: u8, c: (i32, bool), d: (i32, bool), e: i128) -> (Ordering, i32, Ordering, bool) {
    let by = match a.cmp(&(b % 20)) {
        Ordering::Less => -1,
        Ordering::Equal => 7,
        Ordering::Greater => 2,
    };
    let order = c.cmp(&d);
    (order, by, e.cmp(&5), order == Ordering::Less)
}

#[gpu_fn]
fn searched(
    list: [u32; 5],
    other: [u32; 5],
    by: usize,
    wanted: u32,
) -> ([u32; 5], [u32; 5], Result<usize, usize>, (u32, u32)) {
    let mut sorted = [0; 5];
    sorted.copy_from_slice(&list);
    sorted.sort_unstable();
    for k in 1..5 {
        // Equal elements would leave open which one is found.
        sorted[k] = sorted[k].max(sorted[k - 1].saturating_add(1));
    }
    let found = sorted.binary_search(&(wanted % 9));
    let (mut left, mut right) = (other, sorted);
    left.rotate_left(by % 7);
    right.rotate_right(by % 6);
    let range = list.iter().fold((u32::MAX, 0), |(low, high), &x| (low.min(x), high.max(x)));
    (left, right, found, range)
}

same_as_plain! { letters_and_orders_mean_what_they_mean_in_rust:
    letters(letter: char, byte: u8) -> ([bool; 11], [bool; 4], [char; 2], [u8; 2]);
    compared(a: u8, b: u8, c: (i32, bool), d: (i32, bool), e: i128) -> (Ordering, i32, Ordering, bool);
    searched(list: [u32; 5], other: [u32; 5], by: usize, wanted: u32) -> ([u32; 5], [u32; 5], Result<usize, usize>, (u32, u32));
}
