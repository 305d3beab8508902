//! Lengths of arrays: in addresses, which are announced, as values, and as bounds of loops.

use stm_runtime::prelude::*;

use super::records::Room;

#[gpu_transaction]
pub fn wrapped(tx: &mut Tx, counts: &Shared<u32>, hash: usize) -> TxResult<usize> {
    let at = hash % counts.len();
    tx.update(counts, at, |count| count.wrapping_add(1))?;
    Ok(at)
}

#[gpu_fn]
pub fn half(free: &Shared<u32>) -> usize {
    if free.is_empty() { 0 } else { free.len() / 2 }
}

/// The fields of an array are as long as it is.
#[gpu_transaction(max_accesses = 16)]
pub fn ends(tx: &mut Tx, rooms: &Shared<Room>, i: usize) -> TxResult<(usize, bool)> {
    let mut left = 0;
    for at in half(&rooms.free)..rooms.len() {
        left += tx.read(&rooms.free, at)? as usize & 1;
    }
    tx.write(&rooms.free, rooms.free.len() - i, 7)?;
    Ok((left, rooms.is_empty()))
}
