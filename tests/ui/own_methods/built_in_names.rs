// A method of one's own with the name of a built-in one is called by its path.
#![allow(unused)]

use stm_runtime::prelude::*;

#[derive(Debug, Clone, Copy, GpuData)]
struct Order {
    price: i64,
}

#[gpu_fn]
impl Order {
    fn max(self, other: Order) -> Order {
        if self.price > other.price { self } else { other }
    }

    fn abs(self) -> i64 {
        self.price.abs()
    }
}

#[gpu_transaction]
fn buy(tx: &mut Tx, orders: &Shared<Order>, at: u32) -> TxResult<i64> {
    let order = tx.read(orders, at)?;
    let best = order.max(order);
    Ok(order.abs() + Order::abs(Order::max(order, best)))
}

fn main() {}
