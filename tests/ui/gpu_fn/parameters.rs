// It takes values, arrays, and `&mut` variables.
use stm_runtime::prelude::*;

#[gpu_fn]
fn parameters(x: &u32, list: &[u32], text: &str, array: &mut Shared<u32>, row: &mut [u32], letter: Box<u8>, name: String) -> u32 {
    1
}

#[gpu_fn]
fn patterns((a, b): (u32, u32), ref c: u32) -> u32 {
    a
}

fn main() {}
