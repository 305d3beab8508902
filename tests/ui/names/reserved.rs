// Names of the generated code.
use stm_runtime::prelude::*;

#[gpu_transaction]
fn stm_run(tx: &mut Tx, STM_LIMIT: u32) -> TxResult {
    let stm_value = 1;
    Ok(())
}

fn main() {}
