//! Large numbers of one construct: adjacent branches, functions that call others twice, large variables.

use stm_runtime::prelude::*;
use stm_tests::{expect, expect_eq};

use crate::harness::{Bench, End, everywhere};

/// Has more arms than are compiled into nested `else` branches, with faults, jumps and bindings.
#[gpu_fn]
fn arms(x: u32, y: u32) -> u32 {
    let found = match x % 24 {
        0 => y / (x % 7),
        1 => return y ^ 0x55,
        2 => y.wrapping_mul(5) ^ 4,
        3 => y.wrapping_mul(6) ^ 9,
        4 => y.wrapping_mul(7) ^ 16,
        5 => y.wrapping_mul(8) ^ 25,
        6 => y.wrapping_mul(9) ^ 36,
        7 => y.wrapping_mul(10) ^ 49,
        8 => y.wrapping_mul(11) ^ 64,
        9 => y.wrapping_mul(12) ^ 81,
        10 => y.wrapping_mul(13) ^ 100,
        11 => y.wrapping_mul(14) ^ 121,
        12 => y.wrapping_mul(15) ^ 144,
        13 => y.wrapping_mul(16) ^ 169,
        14 => y.wrapping_mul(17) ^ 196,
        15 => y.wrapping_mul(18) ^ 225,
        16 => y.wrapping_mul(19) ^ 256,
        17 => y.wrapping_mul(20) ^ 289,
        18 => y.wrapping_mul(21) ^ 324,
        19 | 20 => x.wrapping_sub(y),
        odd @ (21 | 23) => odd + y % 5,
        _ => 100 - y % 101,
    };
    found.wrapping_mul(3)
}

/// Does the same with `if`, partly with patterns.
#[gpu_fn]
fn branches(x: u8, y: i32, maybe: Option<i32>) -> i32 {
    let x = x % 24;
    let found = if x == 0 {
        10 / (y % 3)
    } else if x == 1 {
        y.wrapping_add(7)
    } else if x == 2 {
        y.wrapping_add(14)
    } else if x == 3 {
        y.wrapping_add(21)
    } else if x == 4 {
        y.wrapping_add(28)
    } else if x == 5 {
        y.wrapping_add(35)
    } else if x == 6 {
        y.wrapping_add(42)
    } else if x == 7 {
        y.wrapping_add(49)
    } else if x == 8 {
        y.wrapping_add(56)
    } else if x == 9 {
        y.wrapping_add(63)
    } else if x == 10 {
        y.wrapping_add(70)
    } else if x == 11 {
        y.wrapping_add(77)
    } else if x == 12 {
        y.wrapping_add(84)
    } else if x == 13 {
        y.wrapping_add(91)
    } else if x == 14 {
        y.wrapping_add(98)
    } else if x == 15 {
        y.wrapping_add(105)
    } else if x == 16 {
        y.wrapping_add(112)
    } else if x == 17 {
        y.wrapping_add(119)
    } else if let Some(z) = maybe
        && z > y
    {
        z.wrapping_sub(y)
    } else if x == 20 {
        return -1;
    } else if let Some(z) = maybe {
        z ^ y
    } else {
        7
    };
    found.wrapping_mul(3)
}

#[gpu_fn]
fn once(x: u32, left: &mut u32) -> u32 {
    *left += 1;
    1000 / (*left % 97) ^ x
}

#[gpu_fn]
fn twice(x: u32, left: &mut u32) -> u32 {
    once(x, left).wrapping_add(once(x + 1, left))
}

#[gpu_fn]
fn four(x: u32, left: &mut u32) -> u32 {
    if x % 5 == 4 {
        return twice(x, left);
    }
    twice(x / 2, left) ^ twice(x / 3, left)
}

#[gpu_fn]
fn eight(x: u32, left: &mut u32) -> u32 {
    four(x, left).wrapping_add(four(x / 2, left))
}

#[gpu_fn]
fn sixteen(x: u32, left: &mut u32) -> u32 {
    eight(x, left) ^ eight(x.wrapping_mul(7) / 8, left)
}

/// Calls the previous function twice. The argument selects which of the innermost calls divides by zero.
#[gpu_fn]
fn doubling(x: u32, start: u32) -> (u32, u32) {
    let mut left = start % 97;
    let first = sixteen(x % 1000, &mut left);
    (first ^ sixteen(first % 1000, &mut left), left)
}

/// Has two arrays that take most of the available room.
#[gpu_fn]
fn large(x: u32, y: u32) -> (u32, u64) {
    let mut words = [x; 7000];
    let mut sums = [0_u64; 4000];
    for k in 0..64_usize {
        let at = (y as usize * 113 + k * k * 31) % 7000;
        words[at] = words[(at + 1) % 7000] ^ k as u32;
        sums[at * 4 / 7] += words[at] as u64;
    }
    (words[y as usize % 7000], sums[x as usize % 4000] + sums[3999])
}

same_as_plain! { much_of_one_sort:
    arms(x: u32, y: u32) -> u32;
    branches(x: u8, y: i32, maybe: Option<i32>) -> i32;
    doubling(x: u32, start: u32) -> (u32, u32);
    large(x: u32, y: u32) -> (u32, u64);
}

/// Has arms that end the transaction.
#[gpu_transaction]
fn choose(tx: &mut Tx, cells: &Shared<u32>, at: u32) -> TxResult {
    match at {
        0 => tx.reject(5),
        1 => {
            tx.write(cells, 1, 11)?;
            tx.write(cells, 0, 1)
        }
        2 => Ok(()),
        3 => tx.write(cells, 3, at + 6),
        4 => tx.write(cells, 4, at + 8),
        5 => tx.write(cells, 5, at + 10),
        6 => tx.write(cells, 6, at + 12),
        7 => tx.write(cells, 7, at + 14),
        8 => tx.write(cells, 8, at + 16),
        9 => tx.write(cells, 9, at + 18),
        10 => tx.write(cells, 10, at + 20),
        11 => tx.write(cells, 11, at + 22),
        12 => tx.write(cells, 12, at + 24),
        13 => tx.write(cells, 13, at + 26),
        14 => tx.write(cells, 14, at + 28),
        15 => tx.write(cells, 15, at + 30),
        16 => tx.write(cells, 16, at + 32),
        17 => tx.write(cells, 17, at + 34),
        18 => tx.write(cells, 18, at + 36),
        19 => tx.write(cells, 19, at + 38),
        _ => tx.write(cells, 20, at),
    }
}

#[test]
fn many_arms_can_be_the_result() {
    everywhere("many arms as the result", |environment| {
        let cells = environment.shared(&[0_u32; 21])?;
        let mut bench = Bench::new(environment);
        bench.call("reject".into(), choose::call(&cells, 0), End::Reject(5));
        for at in 1..21 {
            bench.call(format!("arm {at}"), choose::call(&cells, at), End::Value(()));
        }
        bench.finish(environment)?;
        let mut want: Vec<u32> = (0..21).map(|at| at + at * 2).collect();
        (want[0], want[1], want[2], want[20]) = (1, 11, 0, 20);
        expect_eq!(cells.to_vec()?, want, "the cells");
        let facts = choose::kernel().facts()?;
        expect!(facts.orderable && facts.footprint() == 20, "{facts}");
        Ok(())
    });
}
