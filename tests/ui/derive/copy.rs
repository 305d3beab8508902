// Values are copied.
use stm_runtime::prelude::*;

#[derive(GpuData)]
struct Room {
    free: u32,
}

#[derive(Clone, GpuData)]
enum Level {
    Low,
    High,
}

fn main() {}
