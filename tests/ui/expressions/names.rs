// Only parameters and locals have names that a transaction sees.
use stm_runtime::prelude::*;

const LIMIT: u32 = 10;

#[gpu_transaction]
fn names(tx: &mut Tx, accounts: &Shared<u32>, amount: u32) -> TxResult {
    let over = amount > LIMIT;
    let typo = amuont + 1;
    let value = accounts;
    let other = tx;
    tx.write(acounts, 0, 1)?;
    tx.write(&accounts, 0, std::u32::MAX)?;
    Ok(())
}

fn main() {}
