//! Functions that transactions call: of this file, of other modules, of another crate; with places, and results of every sort.

use stm_runtime::prelude::*;
use stm_tests::procedures::helpers;
use stm_tests::procedures::helpers::{Money, clamp};

use self::rules::inner::{self as deep_rules, third};
use crate::values::{Heading, Line, Point};

mod rules {
    use stm_runtime::prelude::*;

    pub(super) const RATE: i64 = inner::BASE + 1;

    /// Calls a function of a child module, which calls one of the parent module.
    #[gpu_fn]
    pub(super) fn fee(amount: i64) -> i64 {
        inner::third(amount, RATE) + 1
    }

    #[gpu_fn]
    pub(super) fn rounded(x: i64) -> i64 {
        x / 4 * 4
    }

    pub(super) mod inner {
        use stm_runtime::prelude::*;

        pub(crate) const BASE: i64 = 2;

        #[gpu_fn]
        pub(crate) fn third(x: i64, by: i64) -> i64 {
            if by == BASE {
                return 0;
            }
            super::rounded(x) / by
        }
    }
}

#[gpu_fn]
fn modules(x: i64, y: i64) -> i64 {
    rules::fee(x) / 2 + third(y, x) / 2 + deep_rules::third(1, 9) + self::rules::rounded(rules::RATE)
}

/// Uses constants, records and functions of the other crate.
#[gpu_fn]
fn crates(x: i64, y: i64) -> (Money, i64) {
    let money = helpers::money(clamp(x, 0, helpers::MOST), y as u8);
    (helpers::doubled(money), stm_tests::procedures::helpers::cents(money) / 2)
}

/// Returns early, out of loops.
#[gpu_fn]
fn search(list: [i32; 4], wanted: i32) -> Option<u32> {
    for k in 0..4 {
        for round in 0..2 {
            if list[k] == wanted / (round + 1) {
                return Some(k as u32 * 10 + round as u32);
            }
        }
    }
    None
}

#[gpu_fn]
fn early(list: [i32; 4], a: i32) -> (u32, bool) {
    let mut found = 0;
    for round in 0..3 {
        let hit = search(list, a / 2 + round);
        if let Some(k) = hit {
            found = found * 100 + k + 1;
        }
        if search(list, round).is_some() && found > 5 {
            return (found, false);
        }
    }
    (found, search(list, a) == None)
}

#[gpu_fn]
fn add_to(place: &mut i32, by: i32) -> i32 {
    let old = *place;
    *place = old / 2 + by / 2;
    old
}

#[gpu_fn]
fn swap(a: &mut i32, b: &mut i32) {
    let c = *a;
    *a = *b;
    *b = c;
}

/// Passes its own place on.
#[gpu_fn]
fn twice(place: &mut i32, by: i32) {
    add_to(place, by);
    let mut other = *place;
    add_to(&mut other, 1);
    *place = other;
}

#[gpu_fn]
fn reset(point: &mut Point, heading: &mut Heading) -> bool {
    point.x /= 2;
    if *heading == Heading::North {
        *heading = Heading::West;
        return true;
    }
    *point = Point { x: point.y, y: 1 };
    false
}

#[gpu_fn]
fn fill(list: &mut [i32; 3], from: usize) {
    for k in from..3 {
        list[k] = k as i32 * 2;
    }
    let last = list[2];
    list[0] = last;
}

/// Passes `&mut` variables, fields, elements.
#[gpu_fn]
fn places(line: Line, at: usize, heading: Heading) -> (Line, [i32; 3], Heading, i32) {
    let mut line = line;
    let mut list = [1, 2, 3];
    let mut pair = (4, 5);
    let mut heading = heading;
    add_to(&mut line.to.x, 3);
    twice(&mut list[at], 9);
    swap(&mut pair.0, &mut pair.1);
    swap(&mut line.from.x, &mut line.to.y);
    if reset(&mut line.from, &mut heading) {
        fill(&mut list, 1);
    }
    let old = add_to(&mut pair.0, 2);
    (line, list, heading, old * 10 + pair.0)
}

/// Calls functions in every position.
#[gpu_fn]
fn positions(a: i32, b: i32) -> i32 {
    let mut n = a / 8;
    while add_to(&mut n, -2) > 1 {}
    let list = [add_to(&mut n, b / 2), n, add_to(&mut n, 1)];
    let class = match search([n, a, b, 7], b) {
        Some(k) if search([1, list[0], 2, n], a).is_none() => k as i32,
        Some(_) => -1,
        None => add_to(&mut n, 6) / 2,
    };
    let sure = b != 0 && search([1, 2, list[1], 3], a / b).is_some() || search([n; 4], b) == Some(0);
    if sure { class } else { list[(third(8, 1) & 1) as usize] / 2 + n / 2 }
}

#[gpu_fn]
fn unit(place: &mut u8) {
    if *place > 4 {
        return;
    }
    *place += 1;
}

/// Changes a parameter, which belongs to the function.
#[gpu_fn]
fn own(mut x: i32, mut list: [i32; 2]) -> i32 {
    x /= 2;
    list[0] = x;
    list[1] / 2 + list[0]
}

#[gpu_fn]
fn owners(x: i32, list: [i32; 2], small: u8) -> (i32, [i32; 2], i32, u8) {
    let first = own(x, list);
    let mut small = small;
    for _ in 0..3 {
        unit(&mut small);
    }
    (x, list, first / 2 + own(first, [x, 1]) / 2, small)
}

/// Calls methods through a place, also methods that fault.
#[gpu_fn]
fn seen(place: &mut i32, maybe: &mut Option<u8>) -> i32 {
    let power = place.pow(2) / 2;
    *place = place.rem_euclid(maybe.unwrap() as i32);
    power
}

#[gpu_fn]
fn behind(x: i32, maybe: Option<u8>) -> (i32, i32) {
    let (mut x, mut maybe) = (x, maybe);
    (seen(&mut x, &mut maybe), x)
}

/// Parameters that are patterns.
#[gpu_fn]
fn apart((a, [b, .., c]): (u8, [u8; 4]), Point { x, y }: Point, _: bool) -> (u8, i32) {
    (a / 2 ^ b - c, x / 2 - y / 3)
}

#[gpu_fn]
fn taken_apart(pair: (u8, [u8; 4]), point: Point) -> (u8, i32) {
    apart(pair, point, pair.0 > 3)
}

same_as_plain! { functions_of_everywhere:
    taken_apart(pair: (u8, [u8; 4]), point: Point) -> (u8, i32);
    modules(x: i64, y: i64) -> i64;
    crates(x: i64, y: i64) -> (Money, i64);
    early(list: [i32; 4], a: i32) -> (u32, bool);
    places(line: Line, at: usize, heading: Heading) -> (Line, [i32; 3], Heading, i32);
    positions(a: i32, b: i32) -> i32;
    behind(x: i32, maybe: Option<u8>) -> (i32, i32);
    owners(x: i32, list: [i32; 2], small: u8) -> (i32, [i32; 2], i32, u8);
}
