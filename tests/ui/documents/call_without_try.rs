use gpu_transactions::prelude::*;

#[gpu_fn]
fn take(tx: &mut Tx, accounts: &Shared<i64>, from: u32, amount: i64) -> TxResult {
    tx.update(accounts, from, |balance| balance - amount)
}

#[gpu_transaction]
fn pay(tx: &mut Tx, accounts: &Shared<i64>, from: u32) -> TxResult {
    take(tx, accounts, from, 5);
    Ok(())
}

fn main() {}
