use gpu_transactions::prelude::*;

#[derive(Clone, Copy, GpuData)]
struct Room {
    free: u32,
    price: i64,
}

impl PartialEq for Room {
    fn eq(&self, other: &Room) -> bool {
        self.free == other.free
    }
}

#[gpu_transaction]
fn same(tx: &mut Tx, rooms: &Shared<Room>, a: u32, b: u32) -> TxResult<bool> {
    let first = tx.read(rooms, a)?;
    Ok(first == tx.read(rooms, b)?)
}

fn main() {}
