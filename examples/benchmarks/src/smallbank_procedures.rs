//! The six procedures of SmallBank.

use stm_runtime::prelude::*;

/// The fine for a check that is not covered, in cents.
pub(super) const PENALTY: i64 = 100;
/// The reject code for a payment or withdrawal that is not covered.
const NOT_COVERED: u32 = 1;

/// Moves everything that one customer has to the checking account of another one; returns what it moved.
#[gpu_transaction]
pub(super) fn amalgamate(
    tx: &mut Tx,
    savings: &Shared<i64>,
    checking: &Shared<i64>,
    from: u32,
    to: u32,
) -> TxResult<(i64, i64)> {
    let saved = tx.read(savings, from)?;
    let checked = tx.read(checking, from)?;
    tx.write(savings, from, 0)?;
    tx.write(checking, from, 0)?;
    tx.update(checking, to, |balance| balance + saved + checked)?;
    Ok((saved, checked))
}

/// Returns everything that a customer has.
#[gpu_transaction]
pub(super) fn balance(tx: &mut Tx, savings: &Shared<i64>, checking: &Shared<i64>, customer: u32) -> TxResult<i64> {
    Ok(tx.read(savings, customer)? + tx.read(checking, customer)?)
}

/// Puts money into a checking account.
#[gpu_transaction]
pub(super) fn deposit_checking(tx: &mut Tx, checking: &Shared<i64>, customer: u32, amount: i64) -> TxResult {
    tx.update(checking, customer, |balance| balance + amount)
}

/// Moves money between two checking accounts, if it is there.
#[gpu_transaction]
pub(super) fn send_payment(tx: &mut Tx, checking: &Shared<i64>, from: u32, to: u32, amount: i64) -> TxResult {
    let balance = tx.read(checking, from)?;
    if balance < amount {
        return tx.reject(NOT_COVERED);
    }
    tx.write(checking, from, balance - amount)?;
    tx.update(checking, to, |balance| balance + amount)
}

/// Puts money into a savings account, or takes it out if it is there.
#[gpu_transaction(overflow = "check")]
pub(super) fn transact_savings(tx: &mut Tx, savings: &Shared<i64>, customer: u32, amount: i64) -> TxResult {
    let balance = tx.read(savings, customer)? + amount;
    if balance < 0 {
        return tx.reject(NOT_COVERED);
    }
    tx.write(savings, customer, balance)
}

/// Cashes a check against both accounts; returns whether it was not covered and cost a fine.
#[gpu_transaction]
pub(super) fn write_check(
    tx: &mut Tx,
    savings: &Shared<i64>,
    checking: &Shared<i64>,
    customer: u32,
    amount: i64,
) -> TxResult<bool> {
    let checked = tx.read(checking, customer)?;
    let fined = tx.read(savings, customer)? + checked < amount;
    tx.write(checking, customer, checked - amount - if fined { PENALTY } else { 0 })?;
    Ok(fined)
}
