// So is a function whose signature is rejected, as far as it can be understood.
use stm_runtime::prelude::*;

#[gpu_transaction]
fn broken(tx: &mut Tx, data: &Shared<u32>, text: String) -> TxResult {
    tx.write(data, 0, 1)
}

#[gpu_transaction]
const fn constant(tx: &mut Tx, data: &Shared<u32>) -> TxResult {
    tx.write(data, 0, 1)
}

fn uses(tx: &mut Tx, batch: &mut Batch, data: &Shared<u32>) -> TxResult {
    batch.push(broken::call(data, String::new()));
    batch.push(constant::call(data));
    broken(tx, data, String::new())
}

fn main() {}
