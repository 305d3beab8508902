//! `if` as statement and as value, blocks as values, shadowing, late initialisation, early return.

use stm_runtime::prelude::*;

#[gpu_transaction]
pub fn classify(tx: &mut Tx, data: &Shared<i32>, i: u32, x: i32) -> TxResult<u8> {
    let class = if x < 0 {
        0
    } else if x == 0 {
        1
    } else {
        let x = x * 2;
        if x > 100 {
            return Ok(9);
        }
        2
    };
    let doubled = {
        let x = x + 1;
        x * 2
    };
    let late;
    if class == 1_u8 {
        late = doubled;
    } else {
        late = -doubled;
    }
    if late > 3 {
        tx.write(data, i, late)?;
    }
    Ok(class)
}

#[gpu_transaction]
pub fn both_ends(tx: &mut Tx, data: &Shared<i32>, i: u32, up: bool) -> TxResult {
    let old = tx.read(data, i)?;
    if up { tx.write(data, i, old + 1) } else { tx.guard(old > 0) }
}
