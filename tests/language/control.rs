//! Control flow: branches, patterns, loops, labels.

use stm_runtime::prelude::*;

pub(crate) const LIMIT: i32 = 9;
pub(crate) const WORST: u8 = u8::MAX - 1;

#[gpu_fn]
fn ranges(x: i8) -> u32 {
    match x {
        i8::MIN..=-100 => 1,
        -99..-3 => 2,
        -2 | -1 => 3,
        0 => 4,
        ..=3 => 5,
        4..=9 if x % 2 == 0 => 6,
        7 => 7,
        120.. => 8,
        _ => 9,
    }
}

#[gpu_fn]
fn constants(x: i32, y: u8, both: bool) -> i32 {
    match (x, y) {
        (LIMIT, _) if both => 1,
        (LIMIT, WORST | 0) => 2,
        (self::LIMIT.., u8::MAX) => 3,
        (i32::MIN..=-1, _) | (_, 5) => 4,
        _ => 5,
    }
}

#[gpu_fn]
fn bound(x: (u8, i32)) -> i32 {
    match x {
        (n @ (0 | 7), m) => n as i32 - m / 2,
        (n @ 1..=6, m @ -5..=5) => n as i32 * m,
        whole @ (_, -1) => whole.0 as i32,
        (_, m) if m > 100 || m < -100 => m / 7,
        (n, ..) => n as i32,
    }
}

/// Continues with the next arm if a guard does not hold; the effects of the guard remain.
#[gpu_fn]
fn guards(x: u32, y: u32) -> u32 {
    match x {
        0 if y == 0 => 1,
        a if a < 5 && 10 / a > y => 2,
        a if a == y => 3,
        1..=8 => match y {
            0 => 4,
            b if b > x => b - x,
            _ => 5,
        },
        _ => 6,
    }
}

#[gpu_fn]
fn chains(a: Option<i32>, b: Option<(i32, bool)>, x: i32) -> i32 {
    if let Some(a) = a
        && a > 2
        && let Some((b, true)) = b
        && b != a
    {
        a / 2 + b / 2
    } else if let Some((b, _)) = b {
        b / 3
    } else if x > 1 && matches!(a, Some(0..=4) | None) {
        -1
    } else {
        -2
    }
}

#[gpu_fn]
fn otherwise(a: Option<u8>, pair: (u8, u8)) -> u8 {
    let Some(x) = a else {
        return 1;
    };
    let (1..=9, y) = pair else {
        return if x > 3 { 2 } else { 3 };
    };
    let mut rounds = 0;
    loop {
        let Some(rest) = x.checked_sub(rounds) else { break };
        let (0 | 2 | 4) = rest else {
            rounds += 1;
            continue;
        };
        return rest + 10;
    }
    rounds / 2 + y / 2
}

#[gpu_fn]
fn while_let(values: [Option<u8>; 4], start: usize) -> (u32, usize) {
    let mut at = start % 4;
    let mut sum = 0;
    while let Some(x) = values[at]
        && sum < 100
    {
        sum += x as u32;
        at += 1;
        if at == 4 {
            break;
        }
    }
    (sum, at)
}

#[gpu_fn]
fn labelled(x: i32, y: i32) -> i32 {
    let found = 'out: {
        if x > y {
            break 'out x / 2;
        }
        let inner = 'inner: {
            if x == 3 {
                break 'out 30;
            }
            if y == 4 {
                break 'inner 40;
            }
            y / 2
        };
        inner / 3
    };
    'empty: {
        if found == 1 {
            break 'empty;
        }
        return found;
    }
    found - 1
}

#[gpu_fn]
fn loops(x: u8, y: u8) -> (u32, u8) {
    let mut steps = 0_u32;
    let last = 'transactions: loop {
        for transaction in 0..x {
            for column in transaction..=y {
                steps += 1;
                if steps > 200 {
                    break 'transactions transaction;
                }
                if column % 3 == 2 {
                    continue 'transactions;
                }
                if column > 6 {
                    break;
                }
            }
        }
        break x / 2;
    };
    (steps, last)
}

/// Computes the bounds once; the variable of the loop belongs to the body.
#[gpu_fn]
fn bounds(n: u8) -> (u32, u8) {
    let mut end = n;
    let mut sum = 0_u32;
    for mut k in 0..end {
        end /= 2;
        k /= 3;
        sum += k as u32 + 1;
    }
    (sum, end)
}

#[gpu_fn]
fn backwards(from: i8, to: i8, step: u8) -> (i32, u32) {
    let (mut order, mut count) = (0_i32, 0_u32);
    for k in (from..to).rev() {
        order = order.wrapping_mul(3).wrapping_add(k as i32);
    }
    for k in (from..=to).step_by(step as usize) {
        order = order.wrapping_mul(5).wrapping_add(k as i32);
        count += 1;
    }
    for k in (from..to).step_by(step as usize + 1).rev() {
        order = order.wrapping_mul(7).wrapping_add(k as i32);
    }
    for k in (from..=to).step_by(2).rev() {
        order = order.wrapping_mul(11).wrapping_add(k as i32);
    }
    (order, count)
}

/// Loops up to the last value of a type, and over empty ranges.
#[gpu_fn]
fn last_values(n: u8) -> [u32; 4] {
    let mut counts = [0; 4];
    for _ in n..=u8::MAX {
        counts[0] += 1;
    }
    for _ in (200..=u8::MAX).step_by(n as usize / 2 + 1) {
        counts[1] += 1;
    }
    for k in n..3 {
        counts[2] += k as u32;
    }
    for k in (n..=0).rev() {
        counts[3] += k as u32 + 1;
    }
    counts
}

#[gpu_fn]
fn over_elements(values: [i16; 5]) -> (i32, u32) {
    let mut sum = 0;
    for k in 0..values.len() {
        sum += values[k] as i32;
    }
    let mut count = 0;
    for k in 0..5 {
        let value = values[k];
        if value < 0 {
            continue;
        }
        count += 1;
        if value == 5 {
            break;
        }
    }
    (sum, count)
}

#[gpu_fn]
fn late(x: u32, flag: bool) -> (u32, u32) {
    let a;
    let b: u32;
    if flag {
        a = x / 2;
        b = a + 1;
    } else if x > 7 {
        a = 1;
        b = 2;
    } else {
        return (x, x);
    }
    let x = a;
    let x = {
        let x = x + b;
        x / 2
    };
    (x, b)
}

/// Uses every construct as an expression.
#[gpu_fn]
fn nested(x: i32, y: i32) -> i32 {
    let z = if match x {
        0..=4 => y > 3,
        _ => return y / 2,
    } {
        (loop {
            break if y > 6 { 1 } else { 2 };
        }) + match y {
            4 => return 7,
            other => other / 2,
        }
    } else {
        -{
            let t = x / 2;
            t
        }
    };
    z & 0xff ^ 3
}

#[gpu_fn]
fn short_circuit(a: u32, b: u32) -> (bool, u32) {
    let mut calls = 0;
    let first = b != 0 && a / b > 1;
    let second = a > 5 || {
        calls += 1;
        a == 2
    };
    let third = first & second | {
        calls += 10;
        b == 1
    };
    (first || second && !third, calls)
}

/// A loop as the result of a function, whose `break` gives it.
#[gpu_fn]
fn last_loop(x: u8, y: u8) -> Option<u32> {
    let () = {
        let _ = x;
    };
    let mut n = x as u32;
    if y % 5 == 0 {
        'all: {
            if x > 200 {
                break 'all None;
            }
            Some(n)
        }
    } else {
        'outer: loop {
            n += 3;
            let () = note(&mut n);
            let found = loop {
                if n > 60 {
                    break 'outer Some(n);
                }
                if n % 7 == 0 {
                    break n / 7;
                }
                n += 1;
                if n % 11 == y as u32 {
                    continue 'outer;
                }
            };
            if found == y as u32 {
                break None;
            }
            n += found;
        }
    }
}

#[gpu_fn]
fn note(n: &mut u32) {
    *n ^= 1;
}

same_as_plain! { branches_and_patterns:
    last_loop(x: u8, y: u8) -> Option<u32>;
    ranges(x: i8) -> u32;
    constants(x: i32, y: u8, both: bool) -> i32;
    bound(x: (u8, i32)) -> i32;
    guards(x: u32, y: u32) -> u32;
    chains(a: Option<i32>, b: Option<(i32, bool)>, x: i32) -> i32;
    otherwise(a: Option<u8>, pair: (u8, u8)) -> u8;
    while_let(values: [Option<u8>; 4], start: usize) -> (u32, usize);
    labelled(x: i32, y: i32) -> i32;
    late(x: u32, flag: bool) -> (u32, u32);
    nested(x: i32, y: i32) -> i32;
    short_circuit(a: u32, b: u32) -> (bool, u32);
}

mod repeated {
    use super::*;

    same_as_plain! { loops_of_every_sort:
        loops(x: u8, y: u8) -> (u32, u8);
        bounds(n: u8) -> (u32, u8);
        backwards(from: i8, to: i8, step: u8) -> (i32, u32);
        last_values(n: u8) -> [u32; 4];
        over_elements(values: [i16; 5]) -> (i32, u32);
    }
}
