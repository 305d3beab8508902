// Unions and empty structs have nothing to store.
use stm_runtime::prelude::*;

#[derive(Clone, Copy, GpuData)]
union Bits {
    whole: u32,
    half: u16,
}

#[derive(Clone, Copy, GpuData)]
struct Nothing;

#[derive(Clone, Copy, GpuData)]
struct Empty {}

fn main() {}
