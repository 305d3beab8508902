// A type that is not listed has no calls.
use stm_runtime::prelude::*;

#[gpu_transaction(instantiate(u32, i64))]
fn put<T>(tx: &mut Tx, data: &Shared<T>, value: T) -> TxResult {
    tx.write(data, 0, value)
}

fn uses(batch: &mut Batch, data: &Shared<u8>) {
    batch.push(put::<u8>::call(data, 1));
}

fn main() {}
