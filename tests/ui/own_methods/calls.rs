// The form of a call: `?`, the handle, arguments.
#![allow(unused)]

use stm_runtime::prelude::*;

#[derive(Debug, Clone, Copy, GpuData)]
struct Order {
    price: i64,
}

#[gpu_fn]
impl Order {
    fn cost(&self, pieces: i64) -> i64 {
        self.price * pieces
    }

    fn pay(self, tx: &mut Tx, accounts: &Shared<i64>) -> TxResult {
        tx.write(accounts, 0, self.price)
    }

    fn raise(&mut self) {
        self.price += 1;
    }
}

#[gpu_transaction]
fn buy(tx: &mut Tx, orders: &Shared<Order>, accounts: &Shared<i64>, at: u32) -> TxResult<i64> {
    let order = tx.read(orders, at)?;
    order.pay(tx, accounts);
    order.cost(1)?;
    order.pay(accounts)?;
    order.cost(tx, 2);
    Order::pay(order, tx, accounts);
    Ok(order.cost(1))
}

#[gpu_transaction]
fn wrong(tx: &mut Tx, orders: &Shared<Order>, at: u32) -> TxResult<i64> {
    let order = tx.read(orders, at)?;
    order.raise();
    let few = order.cost();
    let other = order.cost(at);
    Ok(few + other)
}

fn main() {}
