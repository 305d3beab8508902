// A mistake that every instance has is reported once.
use stm_runtime::prelude::*;

#[gpu_transaction(instantiate(u32, i64))]
fn add<T>(tx: &mut Tx, data: &Shared<T>, by: T) -> TxResult {
    let old = tx.reed(data, 0)?;
    tx.write(data, 0, missing + by)
}

fn uses(batch: &mut Batch, data: &Shared<u32>) {
    batch.push(add::<u32>::call(data, 1));
}

fn main() {}
