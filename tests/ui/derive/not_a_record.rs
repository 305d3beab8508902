// A union does not say which of its fields is valid.
use stm_runtime::prelude::*;

#[derive(Clone, Copy, GpuData)]
union Bits {
    whole: u32,
    half: u16,
}

fn main() {}
