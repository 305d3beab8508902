//! Accounts: no balance is ever negative, and the sum of all balances is constant.

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

/// Does the same with narrow balances.
#[gpu_transaction]
pub fn transfer_narrow(tx: &mut Tx, accounts: &Shared<i32>, from: u32, to: u32, amount: i32) -> TxResult {
    let balance = tx.read(accounts, from)?;
    tx.guard(balance >= amount)?;
    tx.write(accounts, from, balance - amount)?;
    let target = tx.read(accounts, to)?;
    tx.write(accounts, to, target + amount)
}

/// Moves `amount` from an account whose index is stored in an array.
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

/// Moves `amount` to the account with the same index in another array, which can be the same array.
#[gpu_transaction]
pub fn transfer_between(tx: &mut Tx, from: &Shared<i64>, to: &Shared<i64>, at: u32, amount: i64) -> TxResult {
    let balance = tx.read(from, at)?;
    tx.guard(balance >= amount)?;
    tx.write(from, at, balance - amount)?;
    let target = tx.read(to, at)?;
    tx.write(to, at, target + amount)
}

/// Moves `amount` to an account that the balance selects.
#[gpu_transaction]
pub fn transfer_between_found(tx: &mut Tx, from: &Shared<i64>, to: &Shared<i64>, at: u32, amount: i64) -> TxResult {
    let balance = tx.read(from, at)?;
    tx.guard(balance >= amount)?;
    tx.write(from, at, balance - amount)?;
    let place = balance as u32 % 4;
    let target = tx.read(to, place)?;
    tx.write(to, place, target + amount)
}

/// Deposits money.
#[gpu_transaction]
pub fn deposit(tx: &mut Tx, accounts: &Shared<i64>, to: u32, amount: i64) -> TxResult {
    let balance = tx.read(accounts, to)?;
    tx.write(accounts, to, balance + amount)
}

/// Returns the sum of `n` accounts.
#[gpu_transaction(max_accesses = 64)]
pub fn audit(tx: &mut Tx, accounts: &Shared<i64>, first: u32, n: u32) -> TxResult<i64> {
    let mut sum = 0;
    for at in first..first + n {
        sum += tx.read(accounts, at)?;
    }
    Ok(sum)
}

/// Returns the sum of `n` narrow accounts.
#[gpu_transaction(max_accesses = 64)]
pub fn audit_narrow(tx: &mut Tx, accounts: &Shared<i32>, first: u32, n: u32) -> TxResult<i32> {
    let mut sum = 0;
    for at in first..first + n {
        sum += tx.read(accounts, at)?;
    }
    Ok(sum)
}

/// Swaps two accounts on a ring, at `k` and `k` + 1 steps of `by` from `at`. Returns their sum.
#[gpu_fn]
fn change_places(tx: &mut Tx, ring: &Shared<i64>, at: usize, by: usize, k: usize) -> TxResult<i64> {
    let (here, there) = ((at + k * by) % ring.len(), (at + (k + 1) * by) % ring.len());
    let (one, other) = (tx.read(ring, here)?, tx.read(ring, there)?);
    tx.write(ring, here, other)?;
    tx.write(ring, there, one)?;
    Ok(one + other)
}

/// Swaps ten accounts, or fewer where the ring is short. Returns the sum of all; rejects if it differs from `all`.
#[gpu_transaction]
pub fn turn_around(tx: &mut Tx, ring: &Shared<i64>, at: usize, by: usize, all: Option<i64>) -> TxResult<i64> {
    let mut sum = change_places(tx, ring, at, by, 0)? + change_places(tx, ring, at, by, 2)?;
    sum += change_places(tx, ring, at, by, 4)? + change_places(tx, ring, at, by, 6)?;
    sum += change_places(tx, ring, at, by, 8)?;
    if sum != all.unwrap_or(sum) {
        tx.reject(1)?;
    }
    Ok(sum)
}
