//! Transactions on a partition of an array.

use stm_runtime::prelude::*;

use super::dirty::SPOILT;

/// Counters of a partition.
pub const COUNTERS: usize = 4;

/// Adds one, and returns the old value.
#[gpu_transaction]
pub fn count(tx: &mut Tx, counters: &Partition<u32, COUNTERS>, at: u32) -> TxResult<u32> {
    let seen = tx.read(counters, at)?;
    tx.write(counters, at, seen + 1)?;
    Ok(seen)
}

/// Does the same, where the index is stored in another array.
#[gpu_transaction]
pub fn count_found(
    tx: &mut Tx,
    places: &Partition<u8, 2>,
    counters: &Partition<u32, COUNTERS>,
    at: u32,
) -> TxResult<u32> {
    let place = tx.read(places, at)?;
    let seen = tx.read(counters, place)?;
    tx.write(counters, place, seen + 1)?;
    Ok(seen)
}

/// Moves `amount` once the funds are there.
#[gpu_transaction]
pub fn pass_on(tx: &mut Tx, accounts: &Partition<i64, 8>, from: u32, to: u32, amount: i64) -> TxResult {
    let balance = tx.read(accounts, from)?;
    tx.guard(balance >= amount)?;
    tx.write(accounts, from, balance - amount)?;
    let target = tx.read(accounts, to)?;
    tx.write(accounts, to, target + amount)
}

/// Returns the sum of a partition.
#[gpu_transaction]
pub fn sum(tx: &mut Tx, accounts: &Partition<i64, 8>) -> TxResult<i64> {
    let mut sum = 0;
    for at in 0..accounts.len() {
        sum += tx.read(accounts, at)?;
    }
    Ok(sum)
}

/// Writes the spoilt value to two elements, to the first of them twice, and then rejects.
#[gpu_transaction]
pub fn spoil(tx: &mut Tx, accounts: &Partition<i64, 8>, at: u32, other: u32) -> TxResult {
    tx.write(accounts, at, SPOILT)?;
    tx.write(accounts, other, SPOILT - 1)?;
    tx.write(accounts, at, SPOILT - 2)?;
    tx.reject(3)
}

/// Takes one from an element while the sum of both is greater than one. Under write skew, two of these could empty both.
#[gpu_transaction]
pub fn leave_duty(tx: &mut Tx, accounts: &Partition<i64, 8>, components: u32, stays: u32) -> TxResult<bool> {
    let own = tx.read(accounts, components)?;
    let other = tx.read(accounts, stays)?;
    if own + other < 2 || own == 0 {
        return Ok(false);
    }
    tx.write(accounts, components, own - 1)?;
    Ok(true)
}

/// A seat for one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, GpuData)]
pub struct Seat {
    /// The occupant; `None` if it is free.
    pub taken: Option<u32>,
    /// The number of changes.
    pub changes: u8,
}

/// Counts a change, in any array of counts.
#[gpu_fn]
fn one_more(tx: &mut Tx, changes: &Shared<u8>, at: u32) -> TxResult {
    tx.update(changes, at, |n| n.wrapping_add(1))
}

#[gpu_fn]
fn occupant(tx: &mut Tx, seats: &Partition<Seat, 4>, at: u32) -> TxResult<Option<u32>> {
    Ok(tx.read(seats, at)?.taken)
}

/// Waits for the seat and takes it.
#[gpu_transaction]
pub fn sit_down(tx: &mut Tx, seats: &Partition<Seat, 4>, at: u32, who: u32) -> TxResult {
    let taken = occupant(tx, seats, at)?;
    tx.guard(taken.is_none())?;
    tx.write(&seats.taken, at, Some(who))?;
    one_more(tx, &seats.changes, at)
}

/// Waits until `who` has the seat, and frees it.
#[gpu_transaction]
pub fn stand_up(tx: &mut Tx, seats: &Partition<Seat, 4>, at: u32, who: u32) -> TxResult {
    let seat = tx.read(seats, at)?;
    tx.guard(seat.taken == Some(who))?;
    tx.write(seats, at, Seat { taken: None, changes: seat.changes.wrapping_add(1) })
}
