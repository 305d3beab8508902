// The macro takes one closure, with its captures and options before it.
#![allow(unused)]

use stm_runtime::prelude::*;

fn forms(fee: i64) {
    let nothing = stm_runtime::gpu_transaction!();
    let number = stm_runtime::gpu_transaction!(3);
    let two = stm_runtime::gpu_transaction!(|tx: &mut Tx| Ok(()), |tx: &mut Tx| Ok(()));
    let behind = stm_runtime::gpu_transaction!(|tx: &mut Tx| Ok(()), captures(fee: i64));
    let untyped = stm_runtime::gpu_transaction!(captures(fee), |tx: &mut Tx| Ok(()));
    let word = stm_runtime::gpu_transaction!(capture(fee: i64), |tx: &mut Tx| Ok(()));
}

fn main() {}
