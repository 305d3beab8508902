// One layout for each type: no parameters, no lifetimes.
use stm_runtime::prelude::*;

#[derive(Clone, Copy, GpuData)]
struct Pair<T> {
    a: T,
    b: T,
}

#[derive(Clone, Copy, GpuData)]
struct Borrowed<'a> {
    value: &'a u32,
}

#[derive(Clone, Copy, GpuData)]
struct Sized<const N: usize>([u32; N]);

fn main() {}
