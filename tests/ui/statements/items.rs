// No items and no attributes inside.
use stm_runtime::prelude::*;

#[gpu_transaction]
fn items(tx: &mut Tx, data: &Shared<u32>) -> TxResult {
    const STEP: u32 = 2;
    fn inner() {}
    #[cfg(debug_assertions)]
    let x = 1;
    #[allow(unused)]
    let y = 2;
    tx.write(data, 0, x)
}

fn main() {}
