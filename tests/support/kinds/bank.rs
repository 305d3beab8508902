//! Accounts: the balance is never below zero, and money is neither made nor lost.

use stm_runtime::prelude::*;

/// Moves `amount` once the funds are there.
#[gpu_transaction]
pub fn transfer(tx: &mut Tx, accounts: &Shared<i64>, from: u32, to: u32, amount: i64) -> TxResult {
    let balance = tx.read(accounts, from)?;
    tx.guard(balance >= amount)?;
    tx.write(accounts, from, balance - amount)?;
    let target = tx.read(accounts, to)?;
    tx.write(accounts, to, target + amount)
}

/// The same with narrow balances.
#[gpu_transaction]
pub fn transfer_narrow(tx: &mut Tx, accounts: &Shared<i32>, from: u32, to: u32, amount: i32) -> TxResult {
    let balance = tx.read(accounts, from)?;
    tx.guard(balance >= amount)?;
    tx.write(accounts, from, balance - amount)?;
    let target = tx.read(accounts, to)?;
    tx.write(accounts, to, target + amount)
}

/// The same from an account that is named in a region.
#[gpu_transaction]
pub fn transfer_found(
    tx: &mut Tx,
    places: &Shared<u32>,
    accounts: &Shared<i64>,
    at: u32,
    to: u32,
    amount: i64,
) -> TxResult {
    let from = tx.read(places, at)?;
    let balance = tx.read(accounts, from)?;
    tx.guard(balance >= amount)?;
    tx.write(accounts, from, balance - amount)?;
    let target = tx.read(accounts, to)?;
    tx.write(accounts, to, target + amount)
}

/// Brings money.
#[gpu_transaction]
pub fn deposit(tx: &mut Tx, accounts: &Shared<i64>, to: u32, amount: i64) -> TxResult {
    let balance = tx.read(accounts, to)?;
    tx.write(accounts, to, balance + amount)
}

/// The sum of `n` accounts.
#[gpu_transaction(max_accesses = 64)]
pub fn audit(tx: &mut Tx, accounts: &Shared<i64>, first: u32, n: u32) -> TxResult<i64> {
    let mut sum = 0;
    for at in first..first + n {
        sum += tx.read(accounts, at)?;
    }
    Ok(sum)
}

/// The sum of `n` narrow accounts.
#[gpu_transaction(max_accesses = 64)]
pub fn audit_narrow(tx: &mut Tx, accounts: &Shared<i32>, first: u32, n: u32) -> TxResult<i32> {
    let mut sum = 0;
    for at in first..first + n {
        sum += tx.read(accounts, at)?;
    }
    Ok(sum)
}

/// Gives one from the account `k` steps of `by` further on than `at` to the one a step beyond it, on a ring.
#[gpu_fn]
fn give_one(tx: &mut Tx, ring: &Shared<i64>, at: usize, by: usize, k: usize) -> TxResult {
    tx.update(ring, (at + k * by) % ring.len(), |had| had - 1)?;
    tx.update(ring, (at + (k + 1) * by) % ring.len(), |had| had + 1)
}

/// Six gifts among twelve accounts, or fewer where the ring is short.
#[gpu_transaction]
pub fn give_around(tx: &mut Tx, ring: &Shared<i64>, at: usize, by: usize) -> TxResult {
    give_one(tx, ring, at, by, 0)?;
    give_one(tx, ring, at, by, 2)?;
    give_one(tx, ring, at, by, 4)?;
    give_one(tx, ring, at, by, 6)?;
    give_one(tx, ring, at, by, 8)?;
    give_one(tx, ring, at, by, 10)
}

/// Two neighbours change places; what they have together.
#[gpu_fn]
fn change_places(tx: &mut Tx, ring: &Shared<i64>, at: usize) -> TxResult<i64> {
    let (one, other) = (tx.read(ring, at)?, tx.read(ring, at + 1)?);
    tx.write(ring, at, other)?;
    tx.write(ring, at + 1, one)?;
    Ok(one + other)
}

/// Ten neighbours, each of whom changes places, and what all have together; refused for ever if that is not `all`.
#[gpu_transaction]
pub fn turn_around(tx: &mut Tx, ring: &Shared<i64>, all: i64) -> TxResult<i64> {
    let mut sum = change_places(tx, ring, 0)? + change_places(tx, ring, 2)? + change_places(tx, ring, 4)?;
    sum += change_places(tx, ring, 6)? + change_places(tx, ring, 8)?;
    if sum != all {
        tx.reject(1)?;
    }
    Ok(sum)
}
