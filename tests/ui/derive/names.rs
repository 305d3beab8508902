// A field is no array, and an array of records is no array of structs.
use stm_runtime::prelude::*;

#[derive(Clone, Copy, GpuData)]
struct Room {
    free: u32,
    price: i64,
}

#[gpu_transaction]
fn book(tx: &mut Tx, rooms: &Shared<Room>, at: u32) -> TxResult {
    rooms.free = 1;
    let all = rooms.price;
    let one = tx.read(&rooms.fre, at)?;
    tx.write(&rooms.free, at, 1_i64)
}

fn main() {}
