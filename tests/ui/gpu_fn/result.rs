// What it returns is a value of the device, and every way out gives one.
use stm_runtime::prelude::*;

#[gpu_fn]
fn text(x: u32) -> String {
    String::new()
}

#[gpu_fn]
fn reference(x: &mut u32) -> &mut u32 {
    x
}

#[gpu_fn]
fn falls_off(x: u32) -> u32 {
    if x > 1 {
        return;
    }
}

#[gpu_fn]
fn other(x: u32) -> i64 {
    x
}

#[gpu_fn]
fn wrapped(x: u32) -> u32 {
    Ok(x)
}

#[gpu_fn]
fn unwrapped(x: u32) -> TxResult<u32> {
    x
}

fn main() {}
