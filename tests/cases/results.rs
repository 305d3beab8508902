//! Results of every kind, rejections, and a transaction that only reads.

use stm_runtime::prelude::*;

#[gpu_transaction]
pub fn audit(tx: &mut Tx, accounts: &Shared<i64>, a: u32, b: u32) -> TxResult<i64> {
    Ok(tx.read(accounts, a)? + tx.read(accounts, b)?)
}

#[gpu_transaction]
pub fn get(tx: &mut Tx, flags: &Shared<bool>, i: u64) -> TxResult<bool> {
    tx.read(flags, i)
}

#[gpu_transaction]
pub fn withdraw(tx: &mut Tx, accounts: &Shared<i64>, i: u32, amount: i64) -> TxResult<i64> {
    let balance = tx.read(accounts, i)?;
    let rest = if balance < amount { tx.reject(1)? } else { balance - amount };
    if rest == 13 {
        tx.reject(2)?;
    }
    if rest == 14 {
        return tx.reject(3);
    }
    tx.write(accounts, i, rest)?;
    Ok(rest)
}

#[gpu_transaction]
pub fn never(tx: &mut Tx) -> TxResult<f32> {
    tx.reject(u32::MAX)
}

#[gpu_transaction]
pub fn nothing(_tx: &mut Tx) -> TxResult {
    let _ = 1 + 1;
    Ok(())
}
