//! Tuples: as elements, arguments and results, taken apart, nested.

use stm_runtime::prelude::*;

#[gpu_transaction]
pub fn swap(tx: &mut Tx, pairs: &Shared<(u32, i8)>, i: u32, add: (u32, (i8, bool))) -> TxResult<(i8, u32)> {
    let (mut a, b) = tx.read(pairs, i)?;
    let (first, (second, both)) = add;
    a += first;
    let mut new = (a, b);
    if both {
        new.1 = second;
    }
    tx.write(pairs, i, new)?;
    Ok((new.1, new.0))
}

#[gpu_transaction]
pub fn part(tx: &mut Tx, pairs: &Shared<(u32, i8)>, i: u32) -> TxResult<bool> {
    let old = tx.read(&pairs.1, i)?;
    tx.write(&pairs.0, i, 4)?;
    Ok((old, i) == (3, 4))
}
