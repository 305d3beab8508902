// What only rustc knows of places: who may change them, and who else holds them.
use stm_runtime::prelude::*;

#[gpu_transaction]
fn immutable(tx: &mut Tx, a: u32) -> TxResult<u32> {
    let b = 2;
    let mut c = 3;
    (c, b) = (a, c);
    Ok(b + c)
}

#[gpu_fn]
fn lent(list: [u32; 3]) -> u32 {
    let mut list = list;
    for (i, x) in list.iter().enumerate() {
        list[i] = 1;
        *x = 3;
    }
    list[0]
}

#[gpu_transaction]
fn refutable(tx: &mut Tx, list: [Option<u32>; 3]) -> TxResult<u32> {
    let mut sum = 0;
    for Some(x) in list {
        sum += x;
    }
    Ok(sum)
}

fn main() {}
