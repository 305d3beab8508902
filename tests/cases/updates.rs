//! `tx.update`: read, compute, write.

use stm_runtime::prelude::*;

use super::helpers::twice;
use super::records::Room;

#[gpu_transaction]
pub fn closure(tx: &mut Tx, data: &Shared<i64>, i: u32, by: i64) -> TxResult {
    tx.update(data, i, |x| x + by)?;
    tx.update(data, i + 1, |x| {
        let half = x / 2;
        half * by
    })
}

#[gpu_transaction]
pub fn function(tx: &mut Tx, data: &Shared<i64>, i: u32) -> TxResult {
    tx.update(data, i, |x| twice(x) + 1)
}

#[gpu_transaction]
pub fn record(tx: &mut Tx, rooms: &Shared<Room>, i: u32) -> TxResult {
    tx.update(rooms, i, |room| Room { free: room.free + 1, ..room })
}
