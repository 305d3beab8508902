// Records in patterns.
#![allow(unused)]

use stm_runtime::prelude::*;

#[derive(Clone, Copy, GpuData)]
struct Room {
    free: u32,
    price: i64,
}

#[derive(Clone, Copy, GpuData)]
enum Level {
    Low,
    High,
}

#[gpu_transaction]
fn patterns(tx: &mut Tx, room: Room, level: Level) -> TxResult {
    let Room { free, cost } = room;
    let Room { free } = room;
    let Room { free: a, price: b, .. } = level;
    match level {
        Level::Low => {}
        Level::Middle => {}
        _ => {}
    }
    match level {
        Low => {}
        High => {}
    }
    Ok(())
}

fn main() {}
