//! Items of another crate that transactions use: a type, a constant, functions, a transaction.

use stm_runtime::prelude::*;

/// The largest number of goods in one order.
pub const LIMIT: u32 = 5;

/// Goods in a shop.
#[derive(Debug, Clone, Copy, PartialEq, GpuData)]
pub struct Goods {
    /// The number in stock.
    pub count: u32,
    /// The price of one.
    pub price: i64,
    /// Their state.
    pub state: State,
}

/// The state of goods.
#[derive(Debug, Clone, Copy, PartialEq, Eq, GpuData)]
#[repr(u8)]
pub enum State {
    /// Goods of this year.
    New = 1,
    /// Goods of another year.
    Old = 9,
}

/// Returns the price of some goods.
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

/// Takes goods out of the shop.
#[gpu_fn]
pub fn take(tx: &mut Tx, shop: &Shared<Goods>, at: u32, count: u32) -> TxResult<Goods> {
    let goods = tx.read(shop, at)?;
    tx.guard(goods.count >= count)?;
    tx.write(&shop.count, at, goods.count - count)?;
    Ok(goods)
}

/// Brings goods into the shop.
#[gpu_transaction]
pub fn bring(tx: &mut Tx, shop: &Shared<Goods>, at: u32, count: u32) -> TxResult<u32> {
    let now = tx.read(&shop.count, at)? + count.min(LIMIT);
    tx.write(&shop.count, at, now)?;
    Ok(now)
}
