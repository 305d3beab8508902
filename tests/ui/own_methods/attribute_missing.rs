// What a transaction calls has the attribute: a method, a function of a type, of a trait.
#![allow(unused)]

use stm_runtime::prelude::*;

#[derive(Debug, Clone, Copy, GpuData)]
struct Order {
    price: i64,
    buyer: Buyer,
}

#[derive(Debug, Clone, Copy, GpuData)]
struct Buyer {
    level: u8,
}

impl Order {
    fn new(price: i64) -> Order {
        Order { price, buyer: Buyer { level: 1 } }
    }

    fn cost(&self, pieces: i64) -> i64 {
        self.price * pieces
    }
}

trait Rank {
    fn rank(self) -> u8;

    fn twice(self) -> u8
    where
        Self: Sized,
    {
        2 * self.rank()
    }
}

#[gpu_fn]
impl Rank for Buyer {
    fn rank(self) -> u8 {
        self.level
    }
}

#[gpu_transaction]
fn buy(tx: &mut Tx, orders: &Shared<Order>, at: u32) -> TxResult<i64> {
    let order = tx.read(orders, at)?;
    let next = Order::new(order.cost(2));
    let ranks = order.buyer.rank() + order.buyer.twice();
    tx.write(orders, at, next)?;
    Ok(order.missing() + ranks as i64)
}

fn main() {}
