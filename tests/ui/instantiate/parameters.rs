// `instantiate` needs one type parameter, and a type parameter needs `instantiate`.
use stm_runtime::prelude::*;

#[gpu_transaction(instantiate(u32, i64))]
fn none(tx: &mut Tx, data: &Shared<u32>) -> TxResult {
    tx.write(data, 0, 1)
}

#[gpu_transaction(instantiate(u32, i64))]
fn two<A, B>(tx: &mut Tx, a: A, b: B) -> TxResult {
    Ok(())
}

#[gpu_transaction]
fn not_listed<T>(tx: &mut Tx, data: &Shared<T>) -> TxResult {
    Ok(())
}

#[gpu_fn]
fn helper<T>(x: T) -> T {
    x
}

fn main() {}
