// `update` takes a closure of the old value that gives the new one.
use stm_runtime::prelude::*;

#[gpu_transaction]
fn updates(tx: &mut Tx, data: &Shared<u32>, by: u64) -> TxResult {
    tx.update(data, 0, 1)?;
    tx.update(data, 0)?;
    tx.update(data, 0, |a, b| a + b)?;
    tx.update(data, 0, || 1)?;
    tx.update(data, 0, |v| v + by)?;
    tx.update(data, 0, |v| {
        if v > 1 {
            return v;
        }
        v + 1
    })?;
    tx.update(data, 0, |v: u64| v)?;
    tx.update(data, 0, |v| {})
}

fn main() {}
