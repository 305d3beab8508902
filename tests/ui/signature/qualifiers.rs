// A transaction is a plain function.
use stm_runtime::prelude::*;

#[gpu_transaction]
async unsafe extern "C" fn qualified(tx: &mut Tx<'_>) -> TxResult {
    Ok(())
}

fn main() {}
