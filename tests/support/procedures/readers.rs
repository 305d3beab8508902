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

/// Returns the sum of `count` accounts from `first` on, `times` times: more elements than sets in local memory have.
#[gpu_transaction(max_accesses = 200)]
pub fn sum_far(tx: &mut Tx, accounts: &Shared<i64>, first: u32, count: u32, times: u32) -> TxResult<i64> {
    let mut sum = tx.read(accounts, first)?;
    if times == 0 {
        sum += tx.read(accounts, count)?;
    }
    for _ in 0..times {
        for k in 0..count {
            sum += tx.read(accounts, first + k)?;
        }
    }
    Ok(sum)
}

/// A number and the same negated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, GpuData)]
pub struct Opposites {
    /// The number.
    pub up: i32,
    /// The number negated.
    pub down: i32,
    /// How often it has changed.
    pub changes: u64,
}

/// Returns the sum of all numbers and the negated ones, which is 0, and the number of changes. Its number of elements follows from the
/// bounds of the loops.
#[gpu_transaction(overflow = "wrap")]
pub fn sum_opposites(tx: &mut Tx, opposites: &Shared<Opposites>, turns: u32) -> TxResult<(i32, u64)> {
    let (mut sum, mut changes) = (0, 0);
    for turn in 0..6 {
        for at in 0..80 {
            if turn >= turns {
                break;
            }
            let both = tx.read(opposites, at % opposites.len())?;
            sum += both.up + both.down;
            changes += both.changes;
        }
    }
    Ok((sum, changes))
}

/// Changes a number and the negated one.
#[gpu_transaction(overflow = "wrap")]
pub fn change_opposites(tx: &mut Tx, opposites: &Shared<Opposites>, at: u32, by: i32) -> TxResult {
    let both = tx.read(opposites, at)?;
    tx.write(opposites, at, Opposites { up: both.up + by, down: both.down - by, changes: both.changes + 1 })
}
