//! Procedures whose transactions may run in any order, as long as their bounds hold, and some that look like them.

use stm_runtime::prelude::*;

/// What a shop has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, GpuData)]
pub struct Shelf {
    /// Pieces in stock.
    pub stock: u16,
    /// Pieces sold so far.
    pub sold: u64,
    /// It is there.
    pub open: bool,
}

/// Takes out what is there.
#[gpu_transaction]
pub fn withdraw(tx: &mut Tx, accounts: &Shared<i64>, from: u32, amount: i64) -> TxResult<i64> {
    tx.guard(tx.read(accounts, from)? >= amount)?;
    tx.update(accounts, from, |balance| balance - amount)?;
    Ok(amount)
}

/// Spends what is above a reserve.
#[gpu_transaction]
pub fn spend(tx: &mut Tx, accounts: &Shared<i64>, from: u32, amount: i64, reserve: i64) -> TxResult {
    let left = tx.read(accounts, from)? - amount;
    tx.guard(left - reserve >= 0)?;
    tx.write(accounts, from, left)
}

/// Adds to a score, which may be negative.
#[gpu_transaction]
pub fn score(tx: &mut Tx, scores: &Shared<i32>, of: u32, points: i32) -> TxResult {
    tx.update(scores, of, |score| score + points)
}

/// Pays in, up to a limit.
#[gpu_transaction]
pub fn pay_in(tx: &mut Tx, accounts: &Shared<i64>, to: u32, amount: i64, limit: i64) -> TxResult {
    let least = limit - amount;
    if tx.read(accounts, to)? > least {
        return tx.reject(7);
    }
    tx.update(accounts, to, |balance| balance + amount)
}

/// Moves money, twice from the same account, and reads both accounts before it writes one.
#[gpu_transaction(overflow = "wrap")]
pub fn move_twice(tx: &mut Tx, accounts: &Shared<i64>, from: u32, to: u32, amount: i64) -> TxResult {
    let (mine, theirs) = (tx.read(accounts, from)?, tx.read(accounts, to)?);
    tx.guard(mine >= 2 * amount)?;
    tx.write(accounts, from, mine - amount)?;
    tx.update(accounts, from, |balance| balance - amount)?;
    tx.write(accounts, to, theirs + 2 * amount)
}

/// Sells pieces, and writes the whole record.
#[gpu_transaction]
pub fn sell(tx: &mut Tx, shelves: &Shared<Shelf>, at: u32, pieces: u16) -> TxResult<u16> {
    let shelf = tx.read(shelves, at)?;
    tx.guard(shelf.stock >= pieces)?;
    tx.write(shelves, at, Shelf { stock: shelf.stock - pieces, sold: shelf.sold + u64::from(pieces), ..shelf })?;
    Ok(pieces)
}

/// Puts pieces on a shelf.
#[gpu_transaction]
pub fn deliver(tx: &mut Tx, shelves: &Shared<Shelf>, at: u32, pieces: u16) -> TxResult {
    tx.update(&shelves.stock, at, |stock| stock + pieces)
}

/// Counts in one byte, which overflows.
#[gpu_transaction(overflow = "check")]
pub fn count_in_a_byte(tx: &mut Tx, bytes: &Shared<u8>, at: u32) -> TxResult {
    tx.update(bytes, at, |count| count + 1)
}

/// Keeps the extremes and the bits of what it saw.
#[gpu_transaction]
pub fn observe(
    tx: &mut Tx,
    least: &Shared<i16>,
    most: &Shared<u32>,
    seen: &Shared<u64>,
    odd: &Shared<bool>,
    at: u32,
    value: u16,
) -> TxResult {
    tx.update(least, at, |x| x.min(value as i16))?;
    tx.update(most, at, |x| x.max(u32::from(value)))?;
    tx.update(seen, at, |x| x | 1 << (value % 64))?;
    tx.update(odd, at, |x| x ^ (value % 2 == 1))
}

/// Turns bits over, twice.
#[gpu_transaction]
pub fn turn_twice(tx: &mut Tx, bits: &Shared<u32>, at: u32, first: u32, second: u32) -> TxResult {
    tx.update(bits, at, |x| x ^ first)?;
    tx.update(bits, at, |x| x ^ second)
}

/// Doubles an account: the order of this and `withdraw` matters.
#[gpu_transaction]
pub fn double(tx: &mut Tx, accounts: &Shared<i64>, at: u32) -> TxResult<i64> {
    let balance = tx.read(accounts, at)?;
    tx.write(accounts, at, 2 * balance)?;
    Ok(balance)
}

/// Raises an account to a minimum: this commutes with itself, and not with `withdraw`.
#[gpu_transaction]
pub fn raise_to(tx: &mut Tx, accounts: &Shared<i64>, at: u32, minimum: i64) -> TxResult {
    tx.update(accounts, at, |balance| balance.max(minimum))
}
