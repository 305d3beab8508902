// What a closure uses from around it is declared, with its type.
#![allow(unused)]

use stm_runtime::prelude::*;

fn uses(batch: &mut Batch, data: &Shared<u32>) {
    let by = 1_u32;
    let add = stm_runtime::gpu_transaction!(|tx: &mut Tx, data: &Shared<u32>, at: u32| {
        let old = tx.read(data, at)?;
        tx.write(data, at, old + by)
    });
    batch.push(add.call(data, 1));
}

fn main() {}
