//! The procedures of the bank. They run as Rust on CPU threads, and as generated CUDA C on a GPU.

use examples::draw;
use gpu_transactions::prelude::*;

/// Moves `amount` once the funds are there.
#[gpu_transaction]
pub(crate) fn transfer(tx: &mut Tx, accounts: &Shared<i64>, from: u32, to: u32, amount: i64) -> TxResult {
    let balance = tx.read(accounts, from)?;
    tx.guard(balance >= amount)?; // until then the transaction is postponed
    tx.write(accounts, from, balance - amount)?;
    let target = tx.read(accounts, to)?;
    tx.write(accounts, to, target + amount)
}

/// Draws a transfer from its index, and makes it once the funds are there.
#[gpu_transaction]
pub(crate) fn drawn(tx: &mut Tx, accounts: &Shared<i64>, index: u64, seed: u64, count: u32) -> TxResult {
    let (from, to) = (draw(seed, 2 * index, count), draw(seed, 2 * index + 1, count));
    let amount = (index & 63) as i64 + 1;
    let balance = tx.read(accounts, from)?;
    tx.guard(balance >= amount)?;
    tx.write(accounts, from, balance - amount)?;
    let target = tx.read(accounts, to)?;
    tx.write(accounts, to, target + amount)
}

/// Pays a customer's cash into the customer's account, or rejects if there is not enough cash.
#[gpu_transaction]
pub(crate) fn deposit(tx: &mut Tx, accounts: &Shared<i64>, cash: &Shared<u32>, customer: u32, amount: u32) -> TxResult {
    let purse = tx.read(cash, customer)?;
    if purse < amount {
        tx.reject(1)?; // final: cash does not come back
    }
    tx.write(cash, customer, purse - amount)?;
    let balance = tx.read(accounts, customer)?;
    tx.write(accounts, customer, balance + amount as i64)
}

/// Adds up the accounts from `first` to `last` as they are at one moment.
#[gpu_transaction(max_accesses = 4)]
pub(crate) fn audit(tx: &mut Tx, accounts: &Shared<i64>, first: u32, last: u32) -> TxResult<i64> {
    let mut sum = 0;
    for account in first..=last {
        sum += tx.read(accounts, account)?;
    }
    Ok(sum)
}
