//! Operands are evaluated from left to right, the value of a compound assignment before its place.

use stm_runtime::prelude::*;

#[gpu_transaction]
pub fn operands(tx: &mut Tx, data: &Shared<u32>, mut x: u32) -> TxResult<u32> {
    let sum = x + {
        x = 5;
        x
    };
    x += {
        x = 7;
        sum
    };
    tx.write(data, x, {
        x = 0;
        1
    })?;
    tx.write(data, tx.read(data, 1)?, tx.read(data, 2)? + tx.read(data, 3)?)?;
    Ok(x)
}
