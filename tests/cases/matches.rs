//! `match` on numbers, ranges, tuples, enums and constants, with guards and alternatives.

use stm_runtime::prelude::*;

use super::enums::Level;

pub const LIMIT: i32 = 40;

#[gpu_transaction]
pub fn ranges(tx: &mut Tx, data: &Shared<u32>, x: i32) -> TxResult<u32> {
    let class = match x {
        i32::MIN..=-1 => 0,
        0 | 2 | 4 => 1,
        LIMIT => 2,
        1..10 => 3,
        _ => 4,
    };
    tx.write(data, class, 1)?;
    Ok(class)
}

#[gpu_transaction]
pub fn guarded(tx: &mut Tx, data: &Shared<i32>, i: u32, x: i32) -> TxResult<i32> {
    let old = tx.read(data, i)?;
    Ok(match (old, x) {
        (0, _) => 1,
        (a, b) if a == b => 2,
        (a @ 1..=9, 5 | 6) if a / x > 0 => a,
        (a, _) => a + 1,
    })
}

/// The arms are the result of the transaction.
#[gpu_transaction]
pub fn ends(tx: &mut Tx, data: &Shared<i32>, level: Level, wanted: Option<i32>) -> TxResult<i32> {
    match (level, wanted) {
        (Level::Low, None) => tx.reject(4),
        (_, Some(x)) => {
            tx.write(data, 0, x)?;
            Ok(x)
        }
        (Level::High, _) => tx.read(data, 1),
        _ => Ok(-1),
    }
}
