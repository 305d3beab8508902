//! Functions, records and constants that transactions use, also those of other crates.

use stm_runtime::prelude::*;

/// More than any account holds.
pub const MOST: i64 = 1 << 40;

/// A currency.
#[derive(Debug, Clone, Copy, PartialEq, Eq, GpuData)]
#[repr(u8)]
pub enum Currency {
    /// The currency of Europe.
    Euro,
    /// The currency of Japan.
    Yen = 9,
}

/// An amount in a currency.
#[derive(Debug, Clone, Copy, PartialEq, GpuData)]
pub struct Money {
    /// The amount.
    pub amount: i64,
    /// The currency.
    pub of: Currency,
}

/// Clamps `x` to the range.
#[gpu_fn]
pub fn clamp(x: i64, low: i64, high: i64) -> i64 {
    if x < low {
        return low;
    }
    x.min(high)
}

/// Makes an amount of a currency.
#[gpu_fn]
pub fn money(amount: i64, of: u8) -> Money {
    let of = match of {
        0..5 => Currency::Euro,
        _ => Currency::Yen,
    };
    Money { amount, of }
}

/// Doubles the amount.
#[gpu_fn]
pub fn doubled(money: Money) -> Money {
    Money { amount: money.amount * 2, ..money }
}

/// Returns the amount in hundredths, where the currency has them.
#[gpu_fn]
pub fn cents(money: Money) -> i64 {
    match money.of {
        Currency::Euro => money.amount * 100,
        Currency::Yen => money.amount,
    }
}

/// Withdraws an amount once the account holds it.
#[gpu_fn]
pub fn take(tx: &mut Tx, accounts: &Shared<i64>, from: u32, amount: i64) -> TxResult<i64> {
    let balance = tx.read(accounts, from)?;
    tx.guard(balance >= amount)?; // the guard of take
    tx.write(accounts, from, balance - amount)?;
    Ok(balance - amount)
}

/// Deposits into an account, and counts.
#[gpu_fn]
pub fn give(tx: &mut Tx, accounts: &Shared<i64>, to: u32, amount: i64, gifts: &mut u32) -> TxResult {
    let balance = tx.read(accounts, to)?;
    assert!(amount >= 0, "a gift is not negative"); // the assertion of give
    tx.write(accounts, to, balance + amount)?;
    *gifts += 1;
    Ok(())
}
