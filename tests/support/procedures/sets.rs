//! Read-own-writes, repeatable reads, and two names for one element within one transaction.

use stm_runtime::prelude::*;

/// Reads one element repeatedly. Returns true if all reads gave the same value.
#[gpu_transaction(max_accesses = 4)]
pub fn read_again(tx: &mut Tx, cells: &Shared<i64>, at: u32, times: u32) -> TxResult<bool> {
    let first = tx.read(cells, at)?;
    let mut same = true;
    for _ in 0..times {
        same &= tx.read(cells, at)? == first;
    }
    Ok(same)
}

/// Reads by two names and writes elsewhere. With equal indices both reads must be the same.
#[gpu_transaction]
pub fn read_twice(tx: &mut Tx, cells: &Shared<i32>, seen: &Shared<i32>, at: u32, same: u32) -> TxResult<bool> {
    let one = tx.read(cells, at)?;
    let two = tx.read(cells, same)?;
    tx.write(seen, at, one)?;
    Ok(one == two)
}

/// Adds one by two names: reads by the first, reads by the second, writes by the second.
#[gpu_transaction]
pub fn read_then_raise(tx: &mut Tx, places: &Shared<u32>, cells: &Shared<i32>, at: u32) -> TxResult<bool> {
    let place = tx.read(places, at)?;
    let one = tx.read(cells, place)?;
    let again = tx.read(places, at)?;
    let two = tx.read(cells, again)?;
    tx.write(cells, again, two + 1)?;
    Ok(one == two)
}

/// Writes by one name and reads by another. With equal indices it must read its own write.
#[gpu_transaction]
pub fn write_then_read(tx: &mut Tx, cells: &Shared<i64>, at: u32, same: u32, value: i64) -> TxResult<i64> {
    tx.write(cells, at, value)?;
    tx.read(cells, same)
}

/// Fills `n` elements and sums them up in a second loop.
#[gpu_transaction(max_accesses = 8)]
pub fn fill_then_sum(tx: &mut Tx, cells: &Shared<i64>, first: u32, n: u32, value: i64) -> TxResult<i64> {
    for at in first..first + n {
        tx.write(cells, at, value)?;
    }
    let mut sum = 0;
    for at in first..first + n {
        sum += tx.read(cells, at)?;
    }
    Ok(sum)
}

/// Fills `n` elements from `span.0` on twice, with `value` and with one more each, and sums them up in a third loop. Returns the
/// sum, and the element at `other`.
#[gpu_transaction(max_accesses = 24)]
pub fn fill_again_then_sum(
    tx: &mut Tx,
    cells: &Shared<i64>,
    span: (u32, u32),
    other: u32,
    value: i64,
) -> TxResult<(i64, i64)> {
    let (first, n) = span;
    for at in first..first + n {
        tx.write(cells, at, value)?;
    }
    for at in first..first + n {
        let seen = tx.read(cells, at)?;
        tx.write(cells, at, seen + 1)?;
    }
    let mut sum = 0;
    for at in first..first + n {
        sum += tx.read(cells, at)?;
    }
    Ok((sum, tx.read(cells, other)?))
}

/// Writes twice by two names. With equal indices the second write is the final one.
#[gpu_transaction]
pub fn write_twice(tx: &mut Tx, cells: &Shared<i64>, at: u32, same: u32, value: i64) -> TxResult {
    tx.write(cells, at, value)?;
    tx.write(cells, same, value + 1)
}

/// Sets two neighbours without reading them.
#[gpu_transaction]
pub fn set_pair(tx: &mut Tx, cells: &Shared<i64>, pair: u32, value: i64) -> TxResult {
    tx.write(cells, 2 * pair, value)?;
    tx.write(cells, 2 * pair + 1, value)
}

/// Sets two narrow neighbours, whose index is stored in an array, without reading them.
#[gpu_transaction]
pub fn set_pair_found(tx: &mut Tx, places: &Shared<u32>, cells: &Shared<i32>, at: u32, value: i32) -> TxResult {
    let pair = tx.read(places, at)?;
    tx.write(cells, 2 * pair, value)?;
    tx.write(cells, 2 * pair + 1, value)
}

/// Reads by one name twice and writes elsewhere: both reads must be the same.
#[gpu_transaction]
pub fn read_same(tx: &mut Tx, cells: &Shared<i32>, seen: &Shared<i32>, at: u32) -> TxResult<bool> {
    let one = tx.read(cells, at)?;
    tx.write(seen, at, one)?;
    let two = tx.read(cells, at)?;
    Ok(one == two)
}

/// Sums up four elements repeatedly, without a declared number of reads. Returns true if all sums are the same.
#[gpu_transaction]
pub fn sum_again(tx: &mut Tx, cells: &Shared<i64>, sum: i64) -> TxResult<bool> {
    let mut same = true;
    for _ in 0..5 {
        let mut found = 0;
        for at in 0..4 {
            found += tx.read(cells, at)?;
        }
        same &= found == sum;
    }
    Ok(same)
}

/// Reads three elements eight times in all, without a declared number of reads.
#[gpu_transaction]
pub fn sum_in_turn(tx: &mut Tx, cells: &Shared<i64>) -> TxResult<i64> {
    let mut sum = 0;
    for step in 0..8 {
        sum += tx.read(cells, step % 3)?;
    }
    Ok(sum)
}

/// Sums up one half of a pair in one loop and the other half in another: the sums are always equal.
#[gpu_transaction]
pub fn half_by_half(tx: &mut Tx, halves: &Shared<i64>, pair: u32, times: u32) -> TxResult<i64> {
    let mut difference = 0;
    for _ in 0..times {
        difference += tx.read(halves, 2 * pair)?;
    }
    for _ in 0..times {
        difference -= tx.read(halves, 2 * pair + 1)?;
    }
    Ok(difference)
}
