// Columns are typed: each is a list of the parameter's own type.
use stm_runtime::prelude::*;

#[gpu_transaction]
fn deposit(tx: &mut Tx, accounts: &Shared<i64>, to: u32, amount: i64) -> TxResult {
    let balance = tx.read(accounts, to)?;
    tx.write(accounts, to, balance + amount)
}

/// There would be nothing to count.
#[gpu_transaction]
fn reset(tx: &mut Tx, accounts: &Shared<i64>) -> TxResult {
    tx.write(accounts, 0, 0)
}

fn fill(accounts: &Shared<i64>, to: Vec<u64>, amount: &[i64]) {
    let _ = deposit::columns(accounts, &to, amount);
    let _ = deposit::columns(accounts, &[0, 1], 5);
    let _ = reset::columns(accounts);
}

/// The batch reads the column when it runs.
fn lend(device: &Device, accounts: &Shared<i64>) -> Result<Report, Error> {
    let mut batch = device.batch();
    {
        let amount = vec![1, 2];
        batch.push_columns(deposit::columns(accounts, &[0, 1], &amount))?;
    }
    batch.run()
}

fn main() {}
