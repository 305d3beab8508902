// Default methods: one with shared arrays is not called on a parameter, and one without the attribute not at all.
#![allow(unused)]

use stm_runtime::prelude::*;

#[derive(Debug, Clone, Copy, GpuData)]
struct Order {
    price: i64,
}

#[gpu_fn]
trait Paid {
    fn price(&mut self) -> i64;

    fn pay(&mut self, tx: &mut Tx, accounts: &Shared<i64>, from: u32) -> TxResult {
        tx.write(accounts, from, self.price())
    }
}

#[gpu_fn]
impl Paid for Order {
    fn price(&mut self) -> i64 {
        self.price
    }
}

trait Plain {
    fn lower(&mut self) {}
}

impl Plain for Order {}

#[gpu_fn]
fn of_parameter<T: Paid>(tx: &mut Tx, what: &mut T, accounts: &Shared<i64>) -> TxResult {
    what.pay(tx, accounts, 0)
}

#[gpu_transaction]
fn buy(tx: &mut Tx, orders: &Shared<Order>, accounts: &Shared<i64>, at: u32) -> TxResult<i64> {
    let mut order = tx.read(orders, at)?;
    order.lower();
    order.pay(tx, accounts, at)?;
    of_parameter(tx, &mut order, accounts)?;
    Ok(order.price())
}

fn main() {}
