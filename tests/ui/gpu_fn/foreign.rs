// Functions of the standard library, and of types, have none.
use stm_runtime::prelude::*;

struct Room {
    free: u32,
}

#[gpu_transaction]
fn pay(tx: &mut Tx, data: &Shared<u32>, x: u32) -> TxResult {
    let room = Room::new(x);
    let other = std::mem::replace(&mut x, 1);
    let text = String::from("x");
    let called = data.first(1);
    let size = core::mem::size_of::<u32>();
    (pick(x))(1);
    x(1);
    tx.write(data, 0, x)
}

fn main() {}
