//! Arrays that transactions change by sums alone, and others that look alike.

use stm_runtime::prelude::*;

#[gpu_transaction(overflow = "wrap")]
pub fn branches(tx: &mut Tx, sums: &Shared<u32>, i: u8, by: u32, is_first: bool) -> TxResult {
    let old = tx.read(sums, i)?;
    let by = if is_first { by } else { 1 };
    if is_first {
        tx.write(sums, i, old - by)?;
    } else {
        tx.write(sums, i, by + (old - 1))?;
    }
    tx.update(sums, i, |sum| sum.wrapping_add(by))
}

#[gpu_transaction(overflow = "wrap")]
pub fn loops(tx: &mut Tx, sums: &Shared<i32>, others: &Shared<i32>, by: i32) -> TxResult {
    for i in 0..4 {
        for k in 0..3 {
            let other = tx.read(others, i)?;
            if other < k {
                continue;
            }
            tx.update(sums, i + k, |sum| sum - other * by)?;
        }
    }
    Ok(())
}

/// The second write would undo the first where both elements are one.
#[gpu_transaction(overflow = "wrap")]
pub fn two_reads_first(tx: &mut Tx, sums: &Shared<i64>, i: u8, j: u8) -> TxResult {
    let (a, b) = (tx.read(sums, i)?, tx.read(sums, j)?);
    tx.write(sums, i, a + 1)?;
    tx.write(sums, j, b + 2)
}

/// The last iteration stays.
#[gpu_transaction(overflow = "wrap")]
pub fn read_before_the_loop(tx: &mut Tx, sums: &Shared<i64>, i: u8) -> TxResult {
    let old = tx.read(sums, i)?;
    for k in 0..3 {
        tx.write(sums, i, old + k)?;
    }
    Ok(())
}

/// One path does not write what it read.
#[gpu_transaction(overflow = "wrap")]
pub fn one_of_two(tx: &mut Tx, sums: &Shared<i64>, i: u8, keeps: bool) -> TxResult {
    let mut value = 5;
    let old = tx.read(sums, i)?;
    if keeps {
        value = old;
    }
    tx.write(sums, i, value + 1)
}

/// Leaves before the write, and adds to what was written meanwhile.
#[gpu_transaction(overflow = "wrap")]
pub fn leaves_early(tx: &mut Tx, sums: &Shared<i64>, i: u8, early: bool) -> TxResult {
    let old = tx.read(sums, i)?;
    'add: {
        if early {
            tx.write(sums, i, old + 7)?;
            break 'add;
        }
    }
    tx.write(sums, i, old + 1)
}

#[gpu_transaction(overflow = "wrap")]
pub fn twice_itself(tx: &mut Tx, sums: &Shared<i64>, i: u8) -> TxResult {
    let old = tx.read(sums, i)?;
    tx.write(sums, i, old + old)
}

#[gpu_transaction(overflow = "wrap")]
pub fn taken_from(tx: &mut Tx, sums: &Shared<i64>, i: u8) -> TxResult {
    let old = tx.read(sums, i)?;
    tx.write(sums, i, 3 - old)
}

#[gpu_transaction(overflow = "wrap")]
pub fn to_another_element(tx: &mut Tx, sums: &Shared<i64>, i: u8) -> TxResult {
    let old = tx.read(sums, i)?;
    tx.write(sums, i + 1, old + 3)
}

#[gpu_transaction(overflow = "wrap")]
pub fn to_another_array(tx: &mut Tx, sums: &Shared<i64>, others: &Shared<i64>, i: u8) -> TxResult {
    let old = tx.read(sums, i)?;
    tx.write(sums, i, old + 3)?;
    let other = tx.read(others, i)?;
    tx.write(others, i, other + old)
}

/// One sum decides whether to add to the other.
#[gpu_transaction(overflow = "wrap")]
pub fn decides(tx: &mut Tx, sums: &Shared<i64>, totals: &Shared<i64>, i: u8) -> TxResult {
    let sum = tx.read(sums, i)?;
    if sum > 3 {
        tx.update(totals, i, |total| total + 1)?;
    }
    tx.write(sums, i, sum + 1)
}
