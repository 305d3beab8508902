// The result is a `TxResult` of a value of the device.
use stm_runtime::prelude::*;

#[gpu_transaction]
fn nothing(tx: &mut Tx, data: &Shared<u32>) {
    tx.write(data, 0, 1);
}

#[gpu_transaction]
fn plain(tx: &mut Tx, data: &Shared<u32>) -> u32 {
    tx.read(data, 0)?
}

#[gpu_transaction]
fn result(tx: &mut Tx, data: &Shared<u32>) -> Result<u32, String> {
    tx.read(data, 0)?
}

#[gpu_transaction]
fn text(tx: &mut Tx) -> TxResult<String> {
    Ok(String::new())
}

#[gpu_transaction]
fn reference(tx: &mut Tx) -> TxResult<&u32> {
    Ok(1)
}

fn main() {}
