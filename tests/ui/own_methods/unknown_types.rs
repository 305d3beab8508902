// Receivers whose type has no methods of the user's program.
#![allow(unused)]

use stm_runtime::prelude::*;

#[derive(Debug, Clone, Copy, GpuData)]
struct Order {
    price: i64,
}

#[gpu_fn]
impl Order {
    fn cost(&self) -> i64 {
        self.price
    }
}

#[gpu_transaction]
fn buy(tx: &mut Tx, orders: &Shared<Order>, at: u32, pair: (Order, u8)) -> TxResult<i64> {
    let a = at.cost();
    let b = pair.cost();
    let c = Some(pair.0).cost();
    let d = [pair.0; 2].cost();
    let e = 1.cost();
    Ok(orders.cost())
}

fn main() {}
