// What is read and written has the type of the array, at an index that is an integer.
use stm_runtime::prelude::*;

#[gpu_transaction]
fn elements(tx: &mut Tx, data: &Shared<u32>, f: f64, wide: u64, flag: bool) -> TxResult {
    let a = tx.read(data, f)?;
    let b = tx.read(data, flag)?;
    let c: u64 = tx.read(data, 0)?;
    tx.write(data, 0, wide)?;
    tx.write(data, 0, 1.5)?;
    tx.write(data, 0, (1, 2))?;
    tx.read(wide, 0)?;
    tx.read(1, 0)?;
    Ok(())
}

fn main() {}
