// Shared data changes through the handle alone.
use stm_runtime::prelude::*;

#[gpu_transaction]
fn assigns(tx: &mut Tx, data: &Shared<u32>, total: u32) -> TxResult {
    data[0] = 1;
    data[0] += 1;
    data = 2;
    tx = 3;
    tx.read(data, 0)? = 3;
    *total += 1;
    Ok(())
}

fn main() {}
