// A function that is rejected is still there: its uses have no errors of their own.
use stm_runtime::prelude::*;

#[gpu_transaction]
fn broken(tx: &mut Tx, data: &Shared<u32>, x: u32) -> TxResult {
    let y = x.count_ones();
    tx.write(data, 0, y)
}

fn uses(tx: &mut Tx, table: &mut Table, data: &Shared<u32>) -> TxResult {
    table.push(broken::call(data, 1));
    println!("{}", broken::kernel().cuda_body());
    broken(tx, data, 1)
}

fn main() {}
