//! Transactions with guards that wait.
#![allow(dead_code, unreachable_pub)]

use stm_runtime::prelude::*;

use super::Random;

/// Hands a baton on to the next place, once it is here.
#[gpu_transaction]
pub fn hand_on(tx: &mut Tx, batons: &Shared<u32>, from: u32) -> TxResult {
    tx.guard(tx.read(batons, from)? == 1)?;
    tx.write(batons, from, 0)?;
    tx.write(batons, from + 1, 1)
}

/// Takes a turn, once all with lower numbers have had theirs.
#[gpu_transaction]
pub fn take_turn(tx: &mut Tx, counter: &Shared<u32>, number: u32) -> TxResult {
    let now = tx.read(counter, 0)?;
    tx.guard(now == number)?;
    tx.write(counter, 0, now + 1)
}

/// Puts a value into a ring of 64 places, once there is room.
#[gpu_transaction]
pub fn put(tx: &mut Tx, ends: &Shared<u64>, places: &Shared<u64>, value: u64) -> TxResult {
    let (head, tail) = (tx.read(ends, 0)?, tx.read(ends, 1)?);
    tx.guard(tail - head < 64)?;
    tx.write(places, tail % 64, value)?;
    tx.write(ends, 1, tail + 1)
}

/// Takes the oldest value out of the ring, once there is one.
#[gpu_transaction]
pub fn take(tx: &mut Tx, ends: &Shared<u64>, places: &Shared<u64>) -> TxResult<u64> {
    let (head, tail) = (tx.read(ends, 0)?, tx.read(ends, 1)?);
    tx.guard(head < tail)?;
    tx.write(ends, 0, head + 1)?;
    tx.read(places, head % 64)
}

/// Returns the numbers below `n` in an order that is the same each time.
pub fn shuffled(n: u32) -> Vec<u32> {
    let (mut order, mut random) = ((0..n).collect::<Vec<_>>(), Random::new(5));
    for at in (1..n).rev() {
        order.swap(at as usize, random.below(at + 1) as usize);
    }
    order
}
