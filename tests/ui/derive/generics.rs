// A value has no lifetimes, and the types in it are those of the device.
use stm_runtime::prelude::*;

#[derive(Clone, Copy, GpuData)]
struct Pair<T> {
    a: T,
    b: (T, Box<u8>),
}

#[derive(Clone, Copy, GpuData)]
struct Borrowed<'a> {
    value: &'a u32,
}

fn main() {}
