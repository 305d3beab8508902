// The body has to have a meaning for each of the types.
use stm_runtime::prelude::*;

#[gpu_transaction(instantiate(u32, bool))]
fn add<T>(tx: &mut Tx, data: &Shared<T>, by: T) -> TxResult {
    let old = tx.read(data, 0)?;
    tx.write(data, 0, old + by)
}

fn main() {}
