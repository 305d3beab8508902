//! The example of the documentation: a guarded transfer between two elements of one array.

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
