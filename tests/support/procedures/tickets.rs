//! Procedures that number what they write, and find its place by the number.

use stm_runtime::prelude::*;

/// A group of entries, and what they add up to.
#[derive(Debug, Clone, Copy, PartialEq, GpuData)]
pub struct Group {
    /// The number of its next entry.
    pub next: u32,
    /// The number of entries that it has room for.
    pub most: u32,
    /// The row of its first entry.
    pub first: u32,
    /// The sum of all amounts.
    pub total: u64,
}

/// An entry of a group.
#[derive(Debug, Clone, Copy, PartialEq, GpuData)]
pub struct Entry {
    /// Its number.
    pub number: u32,
    /// What was entered.
    pub amount: u64,
    /// How it was marked.
    pub marks: u64,
}

/// Enters an amount as the next entry of a group, unless it is full, and follows the one before. Returns the number, and what was found in
/// the cell.
#[gpu_transaction(overflow = "wrap")]
pub fn enter(
    tx: &mut Tx,
    groups: &Shared<Group>,
    entries: &Shared<Entry>,
    cells: &Shared<u64>,
    of: u8,
    amount: u64,
) -> TxResult<(u32, u64)> {
    let group = tx.read(groups, of)?;
    tx.write(groups, of, Group { next: group.next + 1, total: group.total + amount, ..group })?;
    if group.next >= group.most {
        return tx.reject(1);
    }
    let here = tx.read(cells, of)?;
    tx.write(cells, of, here * 3 + amount)?;
    tx.write(entries, group.first + group.next, Entry { number: group.next, amount, marks: 0 })?;
    Ok((group.next, here))
}

/// Adds to the sum of a group, which needs no room.
#[gpu_transaction(overflow = "wrap")]
pub fn pay(tx: &mut Tx, groups: &Shared<Group>, of: u8, amount: u64) -> TxResult {
    tx.update(&groups.total, of, |total| total + amount)
}

/// Replaces an entry, whatever was there.
#[gpu_transaction(overflow = "wrap")]
pub fn replace(tx: &mut Tx, entries: &Shared<Entry>, at: u32, amount: u64) -> TxResult {
    tx.write(entries, at, Entry { number: 99, amount, marks: 1 })
}

/// The same, and then refuses an odd amount.
#[gpu_transaction(overflow = "wrap")]
pub fn replace_even(tx: &mut Tx, entries: &Shared<Entry>, at: u32, amount: u64) -> TxResult {
    tx.write(entries, at, Entry { number: 99, amount, marks: 1 })?;
    if amount % 2 == 1 {
        return tx.reject(2);
    }
    Ok(())
}

/// Marks an entry of a group after what was there. Returns its amount.
#[gpu_transaction(overflow = "wrap")]
pub fn mark(tx: &mut Tx, groups: &Shared<Group>, entries: &Shared<Entry>, of: u8, number: u32) -> TxResult<u64> {
    let first = tx.read(&groups.first, of)?;
    let entry = tx.read(entries, first + number)?;
    tx.write(&entries.marks, first + number, entry.marks * 5 + entry.amount)?;
    Ok(entry.amount)
}

/// Replaces a cell of 1 to 3 by another such number: zeros would be beyond the end of the table.
#[gpu_transaction(overflow = "wrap")]
pub fn turn(tx: &mut Tx, cells: &Shared<u64>, at: u32) -> TxResult<u64> {
    let here = tx.read(cells, at)?;
    let next = [3, 1, 2][(here - 1) as usize];
    tx.write(cells, at, next)?;
    Ok(next)
}
