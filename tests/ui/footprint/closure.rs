// So do closures, and each form of a generic transaction.
use stm_runtime::prelude::*;

#[gpu_transaction(instantiate(u32, i64))]
fn fill<T>(tx: &mut Tx, data: &Shared<T>, n: u32, value: T) -> TxResult {
    for i in 0..n {
        tx.write(data, i, value)?;
    }
    Ok(())
}

fn closure() {
    let fill = stm_runtime::gpu_transaction!(|tx: &mut Tx, data: &Shared<u32>, n: u32| {
        for i in 0..n {
            tx.write(data, i, 0)?;
        }
        Ok(())
    });
}

fn main() {}
