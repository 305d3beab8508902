// The handle comes first.
use stm_runtime::prelude::*;

#[gpu_transaction]
fn no_handle(data: &Shared<u32>) -> TxResult {
    Ok(())
}

#[gpu_transaction]
fn by_value(tx: Tx, data: &Shared<u32>) -> TxResult {
    Ok(())
}

fn main() {}
