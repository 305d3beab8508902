//! Letters, `Ordering`, and methods of arrays.

use std::cmp::Ordering;

use stm_runtime::prelude::*;

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
fn of_one(letter: &char, others: [char; 2]) -> (usize, u32, bool) {
    (
        others.iter().map(|other| other.len_utf8()).sum(),
        others.iter().filter_map(|other| other.to_digit(16)).sum(),
        letter.is_whitespace() || others.iter().any(|other| other.eq_ignore_ascii_case(letter)),
    )
}

/// Letters at the ends of the ranges, made of numbers.
#[gpu_fn]
fn digits(x: u32, letter: char, byte: u8) -> ([Option<char>; 5], [Option<u32>; 3], [bool; 4], (usize, u32, bool)) {
    const ENDS: [u32; 17] = [9, 127, 160, 5760, 8197, 8232, 8239, 8287, 12288, 2048, 65536, 48, 57, 65, 70, 97, 122];
    let near = char::from_u32(ENDS[x as usize % 17] + x / 17 % 3 - 1).unwrap();
    (
        [
            char::from_u32(x),
            char::from_u32(0xD7FE + x % 4),
            std::char::from_u32(0x10_FFFE + x % 4),
            char::from_digit(x % 40, 36),
            char::from_digit(x % 11, 10),
        ],
        [near.to_digit(10), near.to_digit(16), letter.to_digit(36)],
        [
            near.is_whitespace(),
            near.is_digit(8),
            near.eq_ignore_ascii_case(&letter),
            byte.eq_ignore_ascii_case(&(byte ^ 32)),
        ],
        of_one(&near, [near, letter]),
    )
}

#[gpu_fn]
fn in_total(list: [f64; 4], few: [f32; 2]) -> ([f64; 4], f32, [Ordering; 2]) {
    let (mut sorted, list32) = (list, [few[0], few[1], -few[0], 0.0]);
    sorted.sort_unstable_by(|a, b| a.total_cmp(b));
    (
        sorted,
        list32.iter().copied().max_by(f32::total_cmp).unwrap(),
        [few[0].total_cmp(&few[1]), f64::total_cmp(&list[0], &-0.0)],
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
) -> ([u32; 5], [u32; 5], [Result<usize, usize>; 3], [bool; 4], (u32, u32)) {
    let mut sorted = [0; 5];
    sorted.copy_from_slice(&list);
    sorted.sort_unstable();
    for k in 1..5 {
        // Equal elements would leave open which one is found.
        sorted[k] = sorted[k].max(sorted[k - 1].saturating_add(1));
    }
    let wanted = if by % 3 == 0 { sorted[by % 5] } else { wanted % 9 };
    let found = [
        sorted.binary_search(&wanted),
        sorted[1..].binary_search_by(|x| x.cmp(&wanted)),
        sorted.binary_search_by_key(&(wanted / 2), |x| x / 2).map(|_| 0),
    ];
    let part = &sorted[by % 6..];
    let count = sorted.partition_point(|&x| x < wanted);
    let ends = [
        sorted.starts_with(&sorted[..by % 6]),
        part.starts_with(&[sorted[1], sorted[2]]),
        sorted.ends_with(part),
        part.ends_with(&[sorted[4], wanted]) || count > 2,
    ];
    let (mut left, mut right) = (other, sorted);
    left.rotate_left(by % 7);
    right.rotate_right(by % 6);
    let range = list.iter().fold((u32::MAX, 0), |(low, high), &x| (low.min(x), high.max(x)));
    (left, right, found, ends, range)
}

same_as_plain! { letters_and_orders_mean_what_they_mean_in_rust:
    letters(letter: char, byte: u8) -> ([bool; 11], [bool; 4], [char; 2], [u8; 2]);
    compared(a: u8, b: u8, c: (i32, bool), d: (i32, bool), e: i128) -> (Ordering, i32, Ordering, bool);
    digits(x: u32, letter: char, byte: u8) -> ([Option<char>; 5], [Option<u32>; 3], [bool; 4], (usize, u32, bool));
    in_total(list: [f64; 4], few: [f32; 2]) -> ([f64; 4], f32, [Ordering; 2]);
    searched(list: [u32; 5], other: [u32; 5], by: usize, wanted: u32) -> ([u32; 5], [u32; 5], [Result<usize, usize>; 3], [bool; 4], (u32, u32));
}
