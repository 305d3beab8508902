//! Functions that transactions call: plain, with the verbs, with places of the caller, and each other.

use stm_runtime::prelude::*;

#[gpu_fn]
pub fn twice(x: i64) -> i64 {
    x + x
}

/// Components early.
#[gpu_fn]
pub fn fee(amount: i64) -> i64 {
    if amount > 1000 {
        return 10;
    }
    twice(amount) / 100
}

#[gpu_fn]
pub fn take(tx: &mut Tx, accounts: &Shared<i64>, from: u32, amount: i64) -> TxResult<i64> {
    let balance = tx.read(accounts, from)?;
    tx.guard(balance >= amount)?;
    tx.write(accounts, from, balance - amount)?;
    Ok(balance - amount)
}

#[gpu_fn]
pub fn bump(count: &mut u32, by: u32) {
    *count += by;
}

/// One call of each sort; the elements stay known.
#[gpu_transaction]
pub fn pay(tx: &mut Tx, accounts: &Shared<i64>, from: u32, to: u32, amount: i64) -> TxResult<i64> {
    let cost = fee(amount);
    let left = take(tx, accounts, from, amount + cost)?;
    tx.update(accounts, to, |balance| balance + amount)?;
    Ok(left)
}

/// The same function twice, and in a loop.
#[gpu_transaction]
pub fn collect(tx: &mut Tx, accounts: &Shared<i64>, first: u32) -> TxResult<u32> {
    let a = take(tx, accounts, first, 1)?;
    let b = take(tx, accounts, first + 1, fee(a))?;
    let mut count = 0;
    for k in 0..3 {
        take(tx, accounts, k, 1)?;
        bump(&mut count, if b > 0 { 2 } else { 1 });
    }
    Ok(count)
}
