// A transaction is a plain function.
use stm_runtime::prelude::*;

#[gpu_transaction]
async unsafe extern "C" fn qualified(tx: &mut Tx<'_>) -> TxResult {
    Ok(())
}

#[gpu_transaction]
const fn constant(tx: &mut Tx) -> TxResult {
    Ok(())
}

fn main() {}
