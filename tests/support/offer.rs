//! What another crate offers to transactions: a type, a constant, functions, a transaction.

use stm_runtime::prelude::*;

/// The most that one order takes.
pub const LIMIT: u32 = 5;

/// Goods in a shop.
#[derive(Debug, Clone, Copy, PartialEq, GpuData)]
pub struct Goods {
    /// How many there are.
    pub count: u32,
    /// What one costs.
    pub price: i64,
    /// In which state they are.
    pub state: State,
}

/// The state of goods.
#[derive(Debug, Clone, Copy, PartialEq, Eq, GpuData)]
#[repr(u8)]
pub enum State {
    /// Of this year.
    New = 1,
    /// Of another year.
    Old = 9,
}

/// What some cost.
#[gpu_fn]
pub fn cost(goods: Goods, count: u32) -> i64 {
    let full = goods.price * i64::from(count);
    match goods.state {
        State::New => full,
        State::Old => half(full),
    }
}

#[gpu_fn]
fn half(amount: i64) -> i64 {
    amount / 2
}

/// Takes some out of the shop.
#[gpu_fn]
pub fn take(tx: &mut Tx, shop: &Shared<Goods>, at: u32, count: u32) -> TxResult<Goods> {
    let goods = tx.read(shop, at)?;
    tx.guard(goods.count >= count)?;
    tx.write(&shop.count, at, goods.count - count)?;
    Ok(goods)
}

/// Brings some into the shop.
#[gpu_transaction]
pub fn bring(tx: &mut Tx, shop: &Shared<Goods>, at: u32, count: u32) -> TxResult<u32> {
    let now = tx.read(&shop.count, at)? + count.min(LIMIT);
    tx.write(&shop.count, at, now)?;
    Ok(now)
}
