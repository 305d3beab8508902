// Options are checked, all of them at once, together with the function.
use stm_runtime::prelude::*;

#[gpu_transaction(max_acesses = 8, fast, overflow = "check", overflow = "wrap")]
fn options(tx: &mut Tx, data: &Shared<u32>) -> TxResult {
    tx.wirte(data, 0, 1)
}

fn main() {}
