// Records and options are arguments of their own types.
use stm_runtime::prelude::*;

#[derive(Clone, Copy, GpuData)]
struct Room {
    free: u32,
}

#[gpu_transaction]
fn put(tx: &mut Tx, rooms: &Shared<Room>, at: u32, room: Option<Room>) -> TxResult {
    let Some(room) = room else { return Ok(()) };
    tx.write(rooms, at, room)
}

fn fill(batch: &mut Batch, rooms: &Shared<Room>, room: Room) {
    batch.push(put::call(rooms, 1, room));
    batch.push(put::call(&rooms.free, 1, Some(room)));
    batch.push(put::call(rooms, 1, Some(3)));
}

fn main() {}
