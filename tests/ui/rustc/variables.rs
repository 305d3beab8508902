// Rust's rules of variables hold.
#![allow(unused)]

use stm_runtime::prelude::*;

#[gpu_transaction]
fn variables(tx: &mut Tx, data: &Shared<u32>, x: u32) -> TxResult {
    let a = 1;
    a = 2;
    x += 1;
    let b: u32;
    tx.write(data, 0, b)?;
    let list = [0; 3];
    list[0] = 1;
    Ok(())
}

fn main() {}
