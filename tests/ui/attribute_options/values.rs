// Each option has its values.
use stm_runtime::prelude::*;

#[gpu_transaction(max_accesses = 70_000, max_iterations = 0, overflow = "panic", instantiate = u32)]
fn values(tx: &mut Tx) -> TxResult {
    Ok(())
}

#[gpu_transaction(max_accesses(8), overflow, instantiate())]
fn forms(tx: &mut Tx) -> TxResult {
    Ok(())
}

#[gpu_transaction(max_accesses 8)]
fn no_list(tx: &mut Tx) -> TxResult {
    Ok(())
}

fn main() {}
