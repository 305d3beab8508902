// A function with parameters: each call determines them, and what it calls on them has the attribute.
#![allow(unused)]

use stm_runtime::prelude::*;

trait Priced {
    fn price(&self) -> u32;
}

#[gpu_fn]
trait Named {
    fn name(&self) -> u32 {
        7
    }
}

impl Named for u64 {}

#[gpu_fn]
trait Weighed {
    fn of(weight: u32) -> Self;
}

#[derive(Clone, Copy, GpuData)]
struct Stone(u32);

impl Weighed for Stone {
    fn of(weight: u32) -> Self {
        Stone(weight)
    }
}

#[gpu_fn]
fn least<T: Priced + Copy>(value: T) -> u32 {
    value.price()
}

#[gpu_fn]
fn made<T: Weighed>(weight: u32) -> T {
    T::of(weight)
}

#[gpu_fn]
fn kilos(stone: Stone) -> u32 {
    stone.0
}

#[gpu_fn]
fn doubled<T: Copy, const N: usize>(list: [T; N]) -> u32 {
    let more = [0; N * 2];
    N as u32
}

#[gpu_fn]
fn scaled<const BY: f32>(value: f32) -> f32 {
    value
}

#[gpu_transaction]
fn make(tx: &mut Tx, stones: &Shared<Stone>) -> TxResult {
    let stone = made(3);
    tx.guard(kilos(made(3)) > 2)?;
    tx.write(stones, 0, stone)
}

fn main() {}
