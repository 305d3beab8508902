//! Labelled blocks and loops with values.

use stm_runtime::prelude::*;

#[gpu_transaction]
pub fn blocks(tx: &mut Tx, data: &Shared<u32>, x: u32) -> TxResult<u32> {
    let class = 'found: {
        if x == 0 {
            break 'found 1;
        }
        if tx.read(data, 0)? > x {
            break 'found 2;
        }
        3
    };
    Ok(class)
}

#[gpu_transaction]
pub fn loops(tx: &mut Tx, data: &Shared<u32>, x: u32) -> TxResult {
    let mut k = 0;
    let found = 'outer: loop {
        loop {
            k += 3;
            if k > 20 {
                break 'outer k * 2;
            }
            if k % 5 == x % 5 {
                break;
            }
        }
        k += 1;
    };
    tx.write(data, 0, found)
}
