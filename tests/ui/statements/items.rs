// No items inside but constants and `use`; attributes are those for lints.
use stm_runtime::prelude::*;

#[gpu_transaction]
fn items(tx: &mut Tx, data: &Shared<u32>) -> TxResult {
    const STEP: u32 = 2;
    fn inner() {}
    use std::mem;
    struct Partition(u32);
    #[inline]
    let y = 2;
    tx.write(data, 0, STEP)
}

fn main() {}
