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

fn uses(tx: &mut Tx, table: &mut Table, data: &Shared<u32>) -> TxResult {
    table.push(broken::call(data, 1));
    table.push(generic::<u32>::call(data));
    println!("{}", broken::kernel().cuda_body().unwrap());
    broken(tx, data, 1)
}

fn main() {}
