//! A transaction for several types.

use stm_runtime::prelude::*;

#[gpu_transaction(instantiate(u32, i64))]
pub fn add<T>(tx: &mut Tx, data: &Shared<T>, i: u32, by: T) -> TxResult<T> {
    let old = tx.read(data, i)?;
    tx.write(data, i, old + by)?;
    Ok(old)
}

#[gpu_fn]
pub fn larger<T: PartialOrd + Copy, const N: usize>(list: [T; N]) -> T {
    if list[0] > list[N - 1] { list[0] } else { list[N - 1] }
}

#[gpu_transaction(instantiate((i64, 3)))]
pub fn gather<T, const N: usize>(tx: &mut Tx, data: &Shared<T>, list: [T; N]) -> TxResult {
    tx.write(data, N, larger(list))
}
