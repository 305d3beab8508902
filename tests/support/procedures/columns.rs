//! Arguments of compound types, for batches that are filled by columns.

use stm_runtime::prelude::*;

/// The kind of an order.
#[derive(Debug, Clone, Copy, PartialEq, GpuData)]
#[repr(u16)]
pub enum Kind {
    /// Adds.
    Buy = 300,
    /// Subtracts.
    Sell = 7,
}

/// Components of every width.
#[derive(Debug, Clone, Copy, PartialEq, GpuData)]
pub struct Order {
    /// The place in the stock.
    pub item: u16,
    /// The kind.
    pub kind: Kind,
    /// What is bought or sold, and how often.
    pub lots: (i64, [u8; 3]),
    /// A change of the amount.
    pub more: Option<i32>,
}

/// Changes the stock by an order, and returns the change. Rejects an order without lots.
#[gpu_transaction]
pub fn place(tx: &mut Tx, stock: &Shared<i64>, order: Order, is_rush: bool, weight: f32) -> TxResult<i64> {
    let mut amount = 0;
    for lot in order.lots.1 {
        amount += order.lots.0 * lot as i64;
    }
    if amount == 0 {
        return tx.reject(order.item as u32);
    }
    if let Some(more) = order.more {
        amount += more as i64;
    }
    if is_rush {
        amount += weight as i64;
    }
    let change = match order.kind {
        Kind::Buy => amount,
        Kind::Sell => -amount,
    };
    let old = tx.read(stock, order.item)?;
    tx.write(stock, order.item, old + change)?;
    Ok(change)
}
