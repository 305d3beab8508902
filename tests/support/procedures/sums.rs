//! Procedures that add to fields of which they need no values, and others that need them.

use stm_runtime::prelude::*;

/// A till. The sums stand first, so the lock words of the record belong to a later field where the sums are deferred.
#[derive(Debug, Clone, Copy, PartialEq, Eq, GpuData)]
pub struct Till {
    /// The sum of all sales.
    pub sum: i64,
    /// The number of sales, which wraps.
    pub sales: u32,
    /// The same in two bytes, which no device adds to at once.
    pub narrow: u16,
    /// It takes sales.
    pub is_open: bool,
    /// The number of the last sale.
    pub last: u32,
}

/// The tills that one call of `sell_in_all` visits at most.
pub const VISITED: u32 = 6;

/// Adds to three fields several times, in branches, and changes a fourth.
#[gpu_transaction(overflow = "wrap")]
pub fn sell(tx: &mut Tx, tills: &Shared<Till>, at: u32, by: i64, number: u32) -> TxResult<u32> {
    tx.update(&tills.sum, at, |sum| sum + by)?;
    tx.update(&tills.sales, at, |sales| sales + 1)?;
    let last = tx.read(&tills.last, at)?;
    if by > 50 {
        tx.update(&tills.sum, at, |sum| sum + by)?;
    } else {
        tx.update(&tills.sum, at, |sum| sum.wrapping_sub(2 * by))?;
        tx.update(&tills.sales, at, |sales| 1 + sales - last * 0)?;
    }
    tx.update(&tills.narrow, at, |narrow| narrow + 1)?;
    tx.update(&tills.sum, at, |sum| sum + by)?;
    tx.write(&tills.last, at, number)?;
    Ok(last)
}

/// Adds to the sums of several tills in a loop, and to some of them twice.
#[gpu_transaction(overflow = "wrap")]
pub fn sell_in_all(tx: &mut Tx, tills: &Shared<Till>, first: u32, count: u32, by: i64) -> TxResult {
    for k in 0..VISITED {
        if k >= count {
            break;
        }
        let at = (first + k) % tills.len() as u32;
        tx.update(&tills.sum, at, |sum| sum + by)?;
        if k % 2 == 1 {
            continue;
        }
        tx.update(&tills.sum, at, |sum| sum + k as i64)?;
    }
    Ok(())
}

/// Reads a whole till and writes it back with other sums.
#[gpu_transaction(overflow = "wrap")]
pub fn sell_whole(tx: &mut Tx, tills: &Shared<Till>, at: u32, by: i64, number: u32) -> TxResult {
    let till = tx.read(tills, at)?;
    tx.write(tills, at, Till { sum: till.sum + by, sales: till.sales + 1, last: number, ..till })
}

/// Adds, and then does not commit if the till is closed: it rejects, faults or waits.
#[gpu_transaction(overflow = "wrap")]
pub fn sell_if_open(tx: &mut Tx, tills: &Shared<Till>, at: u32, by: i64, how: u8) -> TxResult {
    tx.update(&tills.sum, at, |sum| sum + by)?;
    let is_open = tx.read(&tills.is_open, at)?;
    if how == 0 && !is_open {
        tx.reject(3)?;
    }
    assert!(how != 1 || is_open);
    tx.guard(how != 2 || is_open)?;
    tx.update(&tills.sales, at, |sales| sales + 1)
}

/// Opens a till, or closes it.
#[gpu_transaction]
pub fn set_open(tx: &mut Tx, tills: &Shared<Till>, at: u32, is_open: bool) -> TxResult {
    tx.write(&tills.is_open, at, is_open)
}

/// Returns the sum of a till.
#[gpu_transaction]
pub fn see_sum(tx: &mut Tx, tills: &Shared<Till>, at: u32) -> TxResult<i64> {
    tx.read(&tills.sum, at)
}

/// Reads two elements before it adds to both: where they are one, the second write stays.
#[gpu_transaction(overflow = "wrap")]
pub fn add_to_both(tx: &mut Tx, left: &Shared<u64>, right: &Shared<u64>, at: u32, by: u64) -> TxResult {
    let (old_left, old_right) = (tx.read(left, at)?, tx.read(right, at)?);
    tx.write(left, at, old_left + by)?;
    tx.write(right, at, old_right + 2 * by)
}

/// Adds what it reads elsewhere.
#[gpu_transaction(overflow = "wrap")]
pub fn add_price(tx: &mut Tx, prices: &Shared<u64>, sums: &Shared<u64>, piece: u32, at: u32) -> TxResult {
    let price = tx.read(prices, piece)?;
    tx.update(sums, at, |sum| sum + price)
}

/// Raises a price.
#[gpu_transaction(overflow = "wrap")]
pub fn raise_price(tx: &mut Tx, prices: &Shared<u64>, piece: u32) -> TxResult<u64> {
    let price = tx.read(prices, piece)?;
    tx.write(prices, piece, price + 1)?;
    Ok(price)
}
