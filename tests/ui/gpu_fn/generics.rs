// A function with parameters names the parameters themselves, and each call determines them.
use stm_runtime::prelude::*;

trait Priced {
    const LEAST: u32;
    fn price(&self) -> u32;
}

#[gpu_fn]
fn least<T: Priced + Copy>(value: T) -> u32 {
    value.price()
}

#[gpu_fn]
fn most<T: Priced + Copy>(value: T) -> u32 {
    T::LEAST
}

#[gpu_fn]
fn doubled<T: Copy, const N: usize>(list: [T; N]) -> u32 {
    let more = [0; N * 2];
    N as u32
}

#[gpu_fn]
fn flagged<const YES: bool>(value: u32) -> u32 {
    value
}

fn main() {}
