// Fields are Rust's to check, at the line where they are named.
#![allow(unused)]

use stm_runtime::prelude::*;

#[derive(Clone, Copy, GpuData)]
struct Room {
    free: u32,
    price: i64,
}

#[gpu_transaction]
fn fields(tx: &mut Tx, rooms: &Shared<Room>, at: u32) -> TxResult {
    let room = tx.read(rooms, at)?;
    let a = room.fre;
    let b = room.price + room.free;
    let c: u32 = room.price;
    tx.write(rooms, at, Room { free: 1 })?;
    tx.write(rooms, at, Room { free: 1_u8, price: 2 })?;
    tx.write(rooms, at, Room { free: 1, price: 2, other: 3 })?;
    tx.write(rooms, at, 5)
}

fn main() {}
