// Types are never mixed without a cast.
use stm_runtime::prelude::*;

#[gpu_transaction]
fn mixed(tx: &mut Tx, accounts: &Shared<i64>, index: u32, rate: f64) -> TxResult<u32> {
    let balance = tx.read(accounts, index)?;
    let sum = balance + index;
    let scaled = rate * 2;
    tx.guard(balance)?;
    tx.write(accounts, index, index + 1)?;
    if balance {
        tx.reject(balance)?;
    }
    let pair: (u32, i64) = (1, index);
    let narrow: u8 = index;
    Ok(sum)
}

fn main() {}
