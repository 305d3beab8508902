//! Pairs of elements that belong together: a read of one new and one old half is inconsistent (a torn pair).

use stm_runtime::prelude::*;

/// Adds to both halves.
#[gpu_transaction]
pub fn raise_pair(tx: &mut Tx, halves: &Shared<i64>, pair: u32, by: i64) -> TxResult {
    let left = tx.read(halves, 2 * pair)?;
    let right = tx.read(halves, 2 * pair + 1)?;
    tx.write(halves, 2 * pair, left + by)?;
    tx.write(halves, 2 * pair + 1, right + by)
}

/// Adds to both narrow halves.
#[gpu_transaction]
pub fn raise_pair_narrow(tx: &mut Tx, halves: &Shared<i32>, pair: u32, by: i32) -> TxResult {
    let left = tx.read(halves, 2 * pair)?;
    let right = tx.read(halves, 2 * pair + 1)?;
    tx.write(halves, 2 * pair, left + by)?;
    tx.write(halves, 2 * pair + 1, right + by)
}

/// Returns the difference of the halves.
#[gpu_transaction]
pub fn see_pair(tx: &mut Tx, halves: &Shared<i64>, pair: u32) -> TxResult<i64> {
    let left = tx.read(halves, 2 * pair)?;
    let right = tx.read(halves, 2 * pair + 1)?;
    Ok(left - right)
}

/// Returns the difference of the narrow halves.
#[gpu_transaction]
pub fn see_pair_narrow(tx: &mut Tx, halves: &Shared<i32>, pair: u32) -> TxResult<i32> {
    let left = tx.read(halves, 2 * pair)?;
    let right = tx.read(halves, 2 * pair + 1)?;
    Ok(left - right)
}

/// Rejects if the halves differ.
#[gpu_transaction]
pub fn refuse_torn(tx: &mut Tx, halves: &Shared<i64>, seen: &Shared<i64>, pair: u32) -> TxResult {
    let left = tx.read(halves, 2 * pair)?;
    let right = tx.read(halves, 2 * pair + 1)?;
    if left != right {
        tx.reject(13)?;
    }
    tx.write(seen, pair, left)
}

/// Takes one of two off call, but only if the other is still on call. If both leave, that is write skew.
#[gpu_transaction]
pub fn leave_duty(tx: &mut Tx, on_call: &Shared<bool>, me: u32, other: u32) -> TxResult {
    let i_am = tx.read(on_call, me)?;
    let other_is = tx.read(on_call, other)?;
    if !(i_am && other_is) {
        tx.reject(1)?;
    }
    tx.write(on_call, me, false)
}

/// Does the same with wide elements.
#[gpu_transaction]
pub fn leave_duty_wide(tx: &mut Tx, on_call: &Shared<u64>, me: u32, other: u32) -> TxResult {
    let i_am = tx.read(on_call, me)?;
    let other_is = tx.read(on_call, other)?;
    if i_am + other_is < 2 {
        tx.reject(1)?;
    }
    tx.write(on_call, me, 0)
}

/// Leaves a team, unless only one other member would stay. The members are counted in a loop.
#[gpu_transaction]
pub fn leave_team(tx: &mut Tx, on_call: &Shared<u32>, team: u32, me: u32) -> TxResult {
    let mut others = 0;
    for member in 0..6 {
        others += tx.read(on_call, team * 6 + member)?;
    }
    if others < 3 {
        tx.reject(1)?;
    }
    tx.write(on_call, team * 6 + me, 0)
}

/// Sets one to the other plus one.
#[gpu_transaction]
pub fn follow(tx: &mut Tx, cells: &Shared<i64>, from: u32, to: u32) -> TxResult {
    let value = tx.read(cells, from)?;
    tx.write(cells, to, value + 1)
}

/// Sets one narrow element to the other plus one.
#[gpu_transaction]
pub fn follow_narrow(tx: &mut Tx, cells: &Shared<i32>, from: u32, to: u32) -> TxResult {
    let value = tx.read(cells, from)?;
    tx.write(cells, to, value + 1)
}

/// Moves a part of an index from one half to the other: their sum is constant.
#[gpu_transaction]
pub fn shift_index(tx: &mut Tx, parts: &Shared<i64>, pair: u32, by: i64) -> TxResult {
    let left = tx.read(parts, 2 * pair)?;
    tx.write(parts, 2 * pair, left + by)?;
    let right = tx.read(parts, 2 * pair + 1)?;
    tx.write(parts, 2 * pair + 1, right - by)
}

/// Adds one to the element whose index is the sum of both halves. Only a torn pair gives an index out of bounds.
#[gpu_transaction]
pub fn use_index(tx: &mut Tx, parts: &Shared<i64>, targets: &Shared<i64>, pair: u32) -> TxResult {
    let left = tx.read(parts, 2 * pair)?;
    let right = tx.read(parts, 2 * pair + 1)?;
    let seen = tx.read(targets, left + right)?;
    tx.write(targets, left + right, seen + 1)
}

/// Exceeds its bound of iterations on a torn pair, and does not loop on a consistent one.
#[gpu_transaction(max_iterations = 100_000)]
pub fn wait_whole(tx: &mut Tx, parts: &Shared<i64>, pair: u32, whole: i64) -> TxResult<u32> {
    let left = tx.read(parts, 2 * pair)?;
    let right = tx.read(parts, 2 * pair + 1)?;
    let mut rounds = 0;
    while left + right != whole {
        rounds += 1;
    }
    Ok(rounds)
}
