// A capture is a value of the device, of the type that is declared.
#![allow(unused)]

use stm_runtime::prelude::*;

fn types(text: String, wide: u64, list: &[u32]) {
    let a = stm_runtime::gpu_transaction!(captures(text: String), |tx: &mut Tx| Ok(()));
    let b = stm_runtime::gpu_transaction!(captures(wide: u32), |tx: &mut Tx, data: &Shared<u32>| tx.write(data, 0, wide));
    let c = stm_runtime::gpu_transaction!(captures(list: &[u32]), |tx: &mut Tx| Ok(()));
    let d = stm_runtime::gpu_transaction!(captures(missing: u32), |tx: &mut Tx| Ok(()));
}

fn main() {}
