// Every field is a type of the device.
use stm_runtime::prelude::*;

#[derive(Clone, Copy)]
struct Plain(u32);

#[derive(Clone, Copy, GpuData)]
struct Room {
    name: &'static str,
    maybe: Option<Box<u8>>,
    many: [(u8, String); 2],
}

#[derive(Clone, Copy, GpuData)]
struct Outer {
    plain: Plain,
}

#[derive(Clone, Copy, GpuData)]
struct Missing {
    level: Level,
}

fn main() {}
