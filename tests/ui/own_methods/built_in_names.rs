// A method of one's own wins over a built-in one; without the attribute there is neither.
#![allow(unused)]

use stm_runtime::prelude::*;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, GpuData)]
struct Order {
    price: i64,
}

impl Order {
    fn abs(self) -> i64 {
        self.price.abs()
    }

    fn is_empty(&self) -> bool {
        self.price == 0
    }
}

#[gpu_transaction]
fn buy(tx: &mut Tx, orders: &Shared<Order>, at: u32) -> TxResult<i64> {
    let order = tx.read(orders, at)?;
    tx.guard(!order.is_empty())?;
    let best = order.max(order);
    Ok(best.abs())
}

fn main() {}
