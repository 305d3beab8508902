// `==` on a type that has none, or whose own may differ from that of its parts.
#![allow(unused)]

use stm_runtime::prelude::*;

#[derive(Clone, Copy, GpuData)]
enum Level {
    Low,
    High,
}

#[derive(Clone, Copy, GpuData)]
struct Room {
    free: u32,
}

#[derive(Clone, Copy, PartialEq, GpuData)]
struct Point {
    x: f32,
}

#[gpu_transaction]
fn compares(tx: &mut Tx, level: Level, room: Room, point: Point) -> TxResult {
    let a = level == Level::Low;
    let b = room == room;
    let c = point == point;
    let d = point < point;
    Ok(())
}

fn main() {}
