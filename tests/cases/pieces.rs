//! Writes whose new value follows from the old one and from a few values besides, and others that look alike.

use stm_runtime::prelude::*;

/// What is taken is filled up: the branch and the value are of the piece.
#[gpu_transaction(overflow = "wrap")]
pub fn filled_up(tx: &mut Tx, stocks: &Shared<u16>, i: u8, some: u16) -> TxResult<u16> {
    let mut left = tx.read(stocks, i)? * 3;
    if left < some {
        left += 91;
    }
    left -= some;
    tx.write(stocks, i, left)?;
    Ok(left)
}

/// What it needs is computed before, so two words are one input.
#[gpu_transaction(overflow = "wrap")]
pub fn of_what_was_computed(tx: &mut Tx, cells: &Shared<u64>, i: u8, by: u64, times: u64) -> TxResult {
    let both = by * times;
    tx.update(cells, i, |old| old * both)
}

/// A version has no room for the inputs.
#[gpu_transaction(overflow = "wrap")]
pub fn of_too_much(tx: &mut Tx, cells: &Shared<u64>, i: u8, by: u64, some: u64) -> TxResult {
    tx.update(cells, i, |old| old * by ^ some)
}

/// An input is no more what it was.
#[gpu_transaction(overflow = "wrap")]
pub fn of_what_changes(tx: &mut Tx, cells: &Shared<u32>, i: u8, by: u32) -> TxResult<u32> {
    let mut factor = by;
    let old = tx.read(cells, i)?;
    let new = old * factor;
    factor += 1;
    tx.write(cells, i, new)?;
    Ok(factor)
}

/// The value was there before the read in one case, and is computed in the other.
#[gpu_transaction(overflow = "wrap")]
pub fn of_what_was_before(tx: &mut Tx, cells: &Shared<u32>, i: u8, by: u32) -> TxResult {
    let mut new = by;
    let old = tx.read(cells, i)?;
    if old > 5 {
        new = old / 2;
    }
    tx.write(cells, i, new)
}

/// Another element decides.
#[gpu_transaction(overflow = "wrap")]
pub fn of_another(tx: &mut Tx, cells: &Shared<u32>, i: u8, j: u8) -> TxResult {
    let other = tx.read(cells, j)?;
    tx.update(cells, i, |old| old * other)
}

/// An input changes where the old value does not decide.
#[gpu_transaction(overflow = "wrap")]
pub fn of_what_changes_with_it(tx: &mut Tx, cells: &Shared<u32>, i: u8, by: u32, is_new: bool) -> TxResult {
    let mut factor = by;
    let mut new = tx.read(cells, i)?;
    if is_new {
        new = 5;
        factor = 1;
    }
    tx.write(cells, i, new * factor)
}

/// An argument decides whether it writes what follows from the read before.
#[gpu_transaction(overflow = "wrap")]
pub fn in_a_branch(tx: &mut Tx, cells: &Shared<u32>, i: u8, by: u32, is_written: bool) -> TxResult<u32> {
    let old = tx.read(cells, i)?;
    let mut times = 3;
    if is_written {
        times += 2;
        tx.write(cells, i, old * times + by)?;
    }
    Ok(old + times)
}

/// The old value decides whether it writes.
#[gpu_transaction(overflow = "wrap")]
pub fn if_the_old_value_wants_it(tx: &mut Tx, cells: &Shared<u32>, i: u8, by: u32) -> TxResult {
    let old = tx.read(cells, i)?;
    if old > by {
        tx.write(cells, i, old * 3)?;
    }
    Ok(())
}

/// Both accesses are at one element, whose index is in an array of arguments.
#[gpu_transaction(overflow = "wrap")]
pub fn at_arguments(tx: &mut Tx, cells: &Shared<u32>, of: [u8; 3], by: [u16; 3]) -> TxResult {
    for k in 0..3 {
        let old = tx.read(cells, of[k])?;
        tx.write(cells, of[k], old * 5 + by[k] as u32)?;
    }
    Ok(())
}
