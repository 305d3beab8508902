// What holds for a transaction holds for the functions that it calls.
use stm_runtime::prelude::*;

#[gpu_fn(max_accesses = 8)]
fn fee(x: u32) -> u32 {
    x + 1
}

fn main() {}
