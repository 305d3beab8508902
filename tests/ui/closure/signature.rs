// A closure has the signature of a transaction, without `move`.
#![allow(unused)]

use stm_runtime::prelude::*;

fn signatures() {
    let moved = stm_runtime::gpu_transaction!(move |tx: &mut Tx, data: &Shared<u32>| tx.write(data, 0, 1));
    let untyped = stm_runtime::gpu_transaction!(|tx, data| tx.write(data, 0, 1));
    let later = stm_runtime::gpu_transaction!(async |tx: &mut Tx| Ok(()));
    let no_handle = stm_runtime::gpu_transaction!(|data: &Shared<u32>| Ok(()));
    let number = stm_runtime::gpu_transaction!(|tx: &mut Tx, data: &Shared<u32>| -> u32 { 1 });
    let option = stm_runtime::gpu_transaction!(max_acesses = 3, |tx: &mut Tx, data: &Shared<u32>| tx.write(data, 0, 1));
}

fn main() {}
