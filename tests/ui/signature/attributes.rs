// Attributes of parameters would be lost.
use stm_runtime::prelude::*;

#[gpu_transaction]
fn attributes(tx: &mut Tx, #[cfg(debug_assertions)] data: &Shared<u32>) -> TxResult {
    Ok(())
}

fn main() {}
