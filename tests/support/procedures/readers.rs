//! Transactions that write nothing: some find their addresses, some wait, some are rejected.

use stm_runtime::prelude::*;

/// Returns the sum of the first `n` accounts once it is at least `least`.
#[gpu_transaction(max_accesses = 16)]
pub fn audit_once_rich(tx: &mut Tx, accounts: &Shared<i64>, n: u32, least: i64) -> TxResult<i64> {
    let mut sum = 0;
    for at in 0..n {
        sum += tx.read(accounts, at)?;
    }
    tx.guard(sum >= least)?;
    Ok(sum)
}

/// Returns the account after `steps` links from `first`, and its balance.
#[gpu_transaction(max_accesses = 16)]
pub fn follow(tx: &mut Tx, next: &Shared<u32>, accounts: &Shared<i64>, first: u32, steps: u32) -> TxResult<(u32, i64)> {
    let mut at = first;
    for _ in 0..steps {
        at = tx.read(next, at)?;
    }
    Ok((at, tx.read(accounts, at)?))
}

/// Exchanges two links.
#[gpu_transaction]
pub fn relink(tx: &mut Tx, next: &Shared<u32>, a: u32, b: u32) -> TxResult {
    let (to_a, to_b) = (tx.read(next, a)?, tx.read(next, b)?);
    tx.write(next, a, to_b)?;
    tx.write(next, b, to_a)
}

/// Returns a balance; rejects with code 3 if it is less than `least`.
#[gpu_transaction]
pub fn balance_of(tx: &mut Tx, accounts: &Shared<i64>, at: u32, least: i64) -> TxResult<i64> {
    let balance = tx.read(accounts, at)?;
    if balance < least {
        return tx.reject(3);
    }
    Ok(balance)
}
