// Calls are typed: too few, too many and wrong arguments are rustc's errors at the call.
use stm_runtime::prelude::*;

#[gpu_transaction]
fn deposit(tx: &mut Tx, accounts: &Shared<i64>, to: u32, amount: i64) -> TxResult {
    let balance = tx.read(accounts, to)?;
    tx.write(accounts, to, balance + amount)
}

fn fill(batch: &mut Batch, accounts: &Shared<i64>, names: &Shared<u8>) {
    batch.push(deposit::call(accounts, 1));
    batch.push(deposit::call(names, 1, 2));
    batch.push(deposit::call(accounts, 1, 2_u8));
}

fn main() {}
