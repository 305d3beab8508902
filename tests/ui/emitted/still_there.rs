// A function that is rejected is still there: its uses have no errors of their own.
use stm_runtime::prelude::*;

#[gpu_transaction]
fn broken(tx: &mut Tx, data: &Shared<u32>, x: u32) -> TxResult {
    let y = x.to_string();
    tx.write(data, 0, y)
}

#[gpu_transaction(instantiate(u32, i64))]
fn generic<T>(tx: &mut Tx, data: &Shared<T>) -> TxResult {
    tx.wirte(data, 0, 1)
}

fn uses(tx: &mut Tx, batch: &mut Batch, data: &Shared<u32>) -> TxResult {
    batch.push(broken::call(data, 1));
    batch.push(generic::<u32>::call(data));
    println!("{}", broken::kernel().cuda_body().unwrap());
    broken(tx, data, 1)
}

fn main() {}
