// Names are parameters, local variables, and constants, which Rust writes with a capital letter.
use stm_runtime::prelude::*;

const LIMIT: u32 = 10;
static COUNT: u32 = 10;
const lower: u32 = 1;

#[gpu_transaction]
fn names(tx: &mut Tx, accounts: &Shared<u32>, amount: u32) -> TxResult {
    let over = amount > LIMIT;
    let typo = amuont + 1;
    let small = lower;
    let other = tx;
    tx.write(acounts, 0, 1)?;
    tx.write(&accounts, 0, std::u32::MAX)?;
    nothing = 3;
    Ok(())
}

fn main() {}
