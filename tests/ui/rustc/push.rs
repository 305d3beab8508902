// A transaction is pushed as a call: the function itself would run it.
use stm_runtime::prelude::*;

#[gpu_transaction]
fn pay(tx: &mut Tx, accounts: &Shared<i64>, from: u32, amount: i64) -> TxResult<i64> {
    tx.update(accounts, from, |balance| balance - amount)?;
    Ok(amount)
}

fn uses(batch: &mut Batch, accounts: &Shared<i64>) {
    batch.push(pay(accounts, 1, 5));
}

fn main() {}
