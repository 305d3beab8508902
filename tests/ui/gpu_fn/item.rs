// The attribute stands on free functions.
use stm_runtime::prelude::*;

#[gpu_fn]
struct Fee(u32);

#[gpu_fn]
const FEE: u32 = 1;

#[gpu_fn]
const fee: fn(u32) -> u32 = |x| x + 1;

fn main() {}
