use gpu_transactions::prelude::*;

#[derive(Clone, Copy, PartialEq, GpuData)]
struct Room {
    free: u32,
    price: i64,
}

#[gpu_transaction]
fn same(tx: &mut Tx, rooms: &Shared<Room>, a: u32, b: u32) -> TxResult<bool> {
    let first = tx.read(rooms, a)?;
    Ok(first == tx.read(rooms, b)?)
}

fn main() {}
