// Nor through others.
#![allow(unused)]

use stm_runtime::prelude::*;

#[gpu_fn]
fn even(n: u32) -> bool {
    if n == 0 { true } else { odd(n - 1) }
}

#[gpu_fn]
fn odd(n: u32) -> bool {
    if n == 0 { false } else { even(n - 1) }
}

fn main() {}
