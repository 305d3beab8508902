// Verbs that do not exist, or take other arguments.
use stm_runtime::prelude::*;

#[gpu_transaction]
fn unknown(tx: &mut Tx, data: &Shared<u32>) -> TxResult {
    let x = tx.reed(data, 0)?;
    tx.retry()?;
    tx.frobnicate()?;
    let y = tx.read(data)?;
    let z = tx.read::<u32>(data, 0)?;
    tx.write(data, 0, 1, 2)?;
    tx.guard()?;
    tx.write(5, 0, 1)
}

fn main() {}
