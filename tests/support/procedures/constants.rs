//! Procedures that read an array. In some batches another procedure writes it, and in others none does.

use stm_runtime::prelude::*;

/// A shop: orders read the tax, and write the sum.
#[derive(Debug, Clone, Copy, PartialEq, Eq, GpuData)]
pub struct Shop {
    /// In percent.
    pub tax: i16,
    /// The sum of all sales.
    pub sold: i64,
    /// The shop is there.
    pub open: bool,
}

/// Buys a piece, and returns what it cost.
#[gpu_transaction]
pub fn buy(tx: &mut Tx, prices: &Shared<i64>, shops: &Shared<Shop>, piece: u32, shop: u32) -> TxResult<i64> {
    let price = tx.read(prices, piece)?;
    tx.guard(tx.read(&shops.open, shop)?)?;
    let cost = price + price * tx.read(&shops.tax, shop)? as i64 / 100;
    tx.update(&shops.sold, shop, |sold| sold + cost)?;
    Ok(cost)
}

/// Returns the sum of the first prices, at most 16.
#[gpu_transaction]
pub fn sum_of_prices(tx: &mut Tx, prices: &Shared<i64>, pieces: u32) -> TxResult<i64> {
    let mut sum = 0;
    for piece in 0..16 {
        if piece >= pieces {
            break;
        }
        sum += tx.read(prices, piece)?;
    }
    Ok(sum)
}

/// Raises the first prices.
#[gpu_transaction(max_accesses = 16)]
pub fn raise_prices(tx: &mut Tx, prices: &Shared<i64>, pieces: u32, by: i64) -> TxResult {
    for piece in 0..pieces {
        tx.update(prices, piece, |price| price + by)?;
    }
    Ok(())
}
