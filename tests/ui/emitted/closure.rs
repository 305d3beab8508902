// A closure that is rejected is still a value with `call`.
use stm_runtime::prelude::*;

fn uses(batch: &mut Batch, data: &Shared<u32>, by: u32) {
    let add = stm_runtime::gpu_transaction!(captures(by: u32), |tx: &mut Tx, data: &Shared<u32>, at: u32| {
        let old = tx.reed(data, at)?;
        tx.write(data, at, missing + by)
    });
    batch.push(add.call(data, 3));
    let text = String::from("x");
    let put = stm_runtime::gpu_transaction!(captures(text: String), |tx: &mut Tx, data: &Shared<u32>| Ok(()));
    batch.push(put.call(data));
}

fn main() {}
