//! A transaction for several types.

use stm_runtime::prelude::*;

#[gpu_transaction(instantiate(u32, i64))]
pub fn add<T>(tx: &mut Tx, data: &Shared<T>, i: u32, by: T) -> TxResult<T> {
    let old = tx.read(data, i)?;
    tx.write(data, i, old + by)?;
    Ok(old)
}

#[gpu_fn]
pub fn greatest<T: PartialOrd + Copy, const N: usize>(list: [T; N]) -> T {
    let mut most = list[0];
    for k in 1..N {
        if list[k] > most {
            most = list[k];
        }
    }
    most
}

#[gpu_transaction(instantiate((u32, 2), (i64, 3)))]
pub fn gather<T, const N: usize>(tx: &mut Tx, data: &Shared<T>, at: [u32; N], list: [T; N]) -> TxResult<T> {
    assert!(N < 4, "{} are too many", N);
    let mut all = list;
    for k in 0..N {
        all[k] = tx.read(data, at[k])?;
    }
    let most = greatest(all);
    tx.write(data, at[N - 1], most)?;
    Ok(greatest([most, list[0]]))
}
