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

#[gpu_transaction]
fn shared_handle(tx: &Tx) -> TxResult {
    Ok(())
}

#[gpu_transaction]
fn nothing() -> TxResult {
    Ok(())
}

#[gpu_transaction]
fn not_first(data: &Shared<u32>, tx: &mut Tx) -> TxResult {
    Ok(())
}

fn main() {}
