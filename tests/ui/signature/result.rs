// The result is a `TxResult`, of nothing or of a scalar.
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
fn text(tx: &mut Tx) -> TxResult<String> {
    Ok(String::new())
}

fn main() {}
