// Names of the generated code.
use stm_runtime::prelude::*;

#[gpu_transaction]
fn stm_run(tx: &mut Tx, STM_LIMIT: u32) -> TxResult {
    Ok(())
}

#[gpu_transaction]
fn locals(tx: &mut Tx) -> TxResult {
    let stm_value = 1;
    for stm_i in 0..3 {}
    let (a, stm_b) = (1, 2);
    Ok(())
}

#[gpu_fn]
fn stm_fee(stm_x: u32) -> u32 {
    1
}

fn main() {}
