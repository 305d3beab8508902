// An enum of the device is a number.
use stm_runtime::prelude::*;

#[derive(Clone, Copy, GpuData)]
enum Payload {
    None,
    Amount(i64),
    Range { from: u32, to: u32 },
}

#[derive(Clone, Copy, GpuData)]
enum Never {}

#[derive(Clone, Copy, GpuData)]
#[repr(u128)]
enum Wide {
    One,
}

fn main() {}
