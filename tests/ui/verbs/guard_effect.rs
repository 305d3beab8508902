// A guard only reads.
use stm_runtime::prelude::*;

#[gpu_transaction]
fn effect(tx: &mut Tx, data: &Shared<u32>) -> TxResult {
    tx.guard({
        tx.write(data, 0, 1)?;
        tx.read(data, 1)? > 0
    })?;
    tx.guard({
        tx.guard(true)?;
        tx.reject(3)?
    })?;
    tx.guard({
        tx.update(data, 0, |v| v + 1)?;
        true
    })
}

fn main() {}
