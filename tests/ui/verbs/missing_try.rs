// Each verb is followed by `?`, unless it is the last expression.
use stm_runtime::prelude::*;

#[gpu_transaction]
fn forgotten(tx: &mut Tx, accounts: &Shared<i64>, from: u32) -> TxResult {
    let balance = tx.read(accounts, from);
    tx.guard(true);
    tx.write(accounts, from, 1);
    tx.update(accounts, from, |v| v + 1);
    let sum = tx.read(accounts, from) + 1;
    tx.reject(1);
    Ok(())
}

fn main() {}
