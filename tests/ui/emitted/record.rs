// A mistake in a type is none of the functions that use it.
#![allow(unused)]

use stm_runtime::prelude::*;

#[derive(Clone, Copy, GpuData)]
struct Room<'a> {
    free: &'a u32,
}

#[derive(Clone, Copy, GpuData)]
enum Level {
    Low,
    High(),
}

#[gpu_transaction]
fn book(tx: &mut Tx, rooms: &Shared<Room<'static>>, at: u32, level: Level) -> TxResult {
    let room = tx.read(rooms, at)?;
    tx.guard(*room.free > 0)?;
    tx.write(rooms, at, room)
}

fn main() {}
