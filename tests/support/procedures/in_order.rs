//! Procedures whose accesses follow from their arguments, in loops.

use stm_runtime::prelude::*;

/// Accesses of a transaction.
pub const ACCESSES: usize = 6;

/// Writes the cells whose bit is set, and sums up the others. It commits in any case, and what it writes follows from the arguments.
#[gpu_transaction]
pub fn put_or_sum(tx: &mut Tx, cells: &Shared<u64>, of: [u32; ACCESSES], bits: u8, new: u64) -> TxResult<u64> {
    let mut sum = 0_u64;
    for (k, &at) in of.iter().enumerate() {
        if bits >> k & 1 == 1 {
            tx.write(cells, at, new + k as u64)?;
        } else {
            sum = sum.wrapping_mul(3).wrapping_add(tx.read(cells, at)?);
        }
    }
    Ok(sum)
}

/// Writes into each cell what the one before it holds, and then puts a number into the first one: only that follows from the arguments.
/// It reads the first one more often than there are cells.
#[gpu_transaction(overflow = "wrap")]
pub fn shift(tx: &mut Tx, cells: &Shared<u64>, of: [u32; ACCESSES], new: u64) -> TxResult<u64> {
    let same = [tx.read(cells, of[0])?, tx.read(cells, of[0])?, tx.read(cells, of[0])?, tx.read(cells, of[0])?];
    let mut before = new + same[3] - same[0];
    for &at in &of {
        let here = tx.read(cells, at)?;
        tx.write(cells, at, before * 5 + here)?;
        before = here;
    }
    tx.write(cells, of[0], new)?;
    Ok(before)
}

/// Adds to the cells whose bit is set, one after the other; then moves as much from the first to the second, which can be the same.
#[gpu_transaction(overflow = "wrap")]
pub fn add_and_move(tx: &mut Tx, cells: &Shared<u64>, of: [u32; ACCESSES], bits: u8, by: u64) -> TxResult<u64> {
    let mut sum = 0_u64;
    for (k, &at) in of.iter().enumerate() {
        let here = tx.read(cells, at)?;
        sum = sum * 3 + here;
        if bits >> k & 1 == 1 {
            tx.write(cells, at, here + by)?;
        }
    }
    let (from, to) = (tx.read(cells, of[0])?, tx.read(cells, of[1])?);
    tx.write(cells, of[0], from - by)?;
    tx.write(cells, of[1], to + by)?;
    Ok(sum)
}

/// What is always written as a whole.
#[derive(Debug, Clone, Copy, PartialEq, GpuData)]
pub struct Trio {
    /// Something is added to it.
    pub sum: u64,
    /// It goes from one to another.
    pub mark: i32,
    /// It comes from both.
    pub mix: u8,
}

/// What is there of a thing, and how often some was taken.
#[derive(Debug, Clone, Copy, PartialEq, GpuData)]
pub struct Stock {
    /// What is there.
    pub quantity: u16,
    /// How often some was taken.
    pub orders: u32,
}

/// Adds to one record and to another, which can be the same, and moves the mark of the first to the second. Returns what both were.
#[gpu_transaction(overflow = "wrap")]
pub fn hand_on(tx: &mut Tx, trios: &Shared<Trio>, of: [u32; 2], by: u64) -> TxResult<[Trio; 2]> {
    let one = tx.read(trios, of[0])?;
    tx.write(trios, of[0], Trio { sum: one.sum + by, mark: one.mark - 1, mix: one.mix + 1 })?;
    let other = tx.read(trios, of[1])?;
    tx.write(trios, of[1], Trio { sum: other.sum + 2 * by, mark: one.mark, mix: other.mix ^ one.mix })?;
    Ok([one, other])
}

/// Writes a cell, reads what may be the same one, and ends: with code 2 if it is, and with 1 if it is not.
#[gpu_transaction]
pub fn put_and_refuse(tx: &mut Tx, cells: &Shared<u64>, of: [u32; 2], new: u64) -> TxResult<()> {
    tx.write(cells, of[0], new)?;
    if tx.read(cells, of[1])? != new {
        return tx.reject(1);
    }
    tx.reject(2)
}

/// Draws the next number of a counter.
#[gpu_transaction(overflow = "wrap")]
pub fn draw_number(tx: &mut Tx, counters: &Shared<u16>, of: u8) -> TxResult<u16> {
    let number = tx.read(counters, of)?;
    tx.write(counters, of, number + 1)?;
    Ok(number)
}

/// Adds to a counter and to a sum, and does not look at them.
#[gpu_transaction(overflow = "wrap")]
pub fn count_up(tx: &mut Tx, counters: &Shared<u16>, sums: &Shared<i32>, of: u8, by: i16) -> TxResult {
    tx.update(counters, of, |count| count + by as u16)?;
    tx.update(sums, of, |sum| sum + by as i32)
}

/// Takes something out of each of some stocks, and fills up those that get low. Counts what it has taken, and returns what the last one holds.
#[gpu_transaction(overflow = "wrap")]
pub fn take_from(
    tx: &mut Tx,
    stocks: &Shared<Stock>,
    taken: &Shared<u32>,
    of: [u8; ACCESSES],
    some: u16,
) -> TxResult<u16> {
    let mut left = 0;
    for (k, &at) in of.iter().enumerate() {
        let stock = tx.read(stocks, at)?;
        left = if stock.quantity >= some { stock.quantity - some } else { stock.quantity + 91 - some };
        tx.write(stocks, at, Stock { quantity: left, orders: stock.orders + k as u32 })?;
        tx.update(taken, at, |all| all + some as u32)?;
    }
    Ok(left)
}

/// Multiplies a stock and puts something into it, but for odd amounts.
#[gpu_transaction(overflow = "wrap")]
pub fn put_into(tx: &mut Tx, stocks: &Shared<Stock>, at: u8, some: u16) -> TxResult {
    let quantity = tx.read(&stocks.quantity, at)?;
    if some % 2 == 0 {
        tx.write(&stocks.quantity, at, quantity * 3 + some)?;
    }
    Ok(())
}

/// Says what a stock holds.
#[gpu_transaction]
pub fn count_anew(tx: &mut Tx, stocks: &Shared<Stock>, at: u8, quantity: u16) -> TxResult {
    tx.write(&stocks.quantity, at, quantity)
}

/// Returns what two stocks hold together, and notes that in another array.
#[gpu_transaction(overflow = "wrap")]
pub fn compare_stocks(
    tx: &mut Tx,
    stocks: &Shared<Stock>,
    found: &Shared<u16>,
    row: u32,
    of: [u8; 2],
) -> TxResult<u16> {
    let both = tx.read(&stocks.quantity, of[0])? + tx.read(&stocks.quantity, of[1])?;
    tx.write(found, row, both)?;
    Ok(both)
}

/// Moves from the first cell to the second what the third one holds: waits if it is not there, and refuses to fill the second one. Returns
/// what that held.
#[gpu_transaction]
pub fn move_some(tx: &mut Tx, cells: &Shared<u64>, of: [u32; 3], most: u64) -> TxResult<u64> {
    let (from, some) = (tx.read(cells, of[0])?, tx.read(cells, of[2])?);
    tx.guard(from >= some)?;
    tx.write(cells, of[0], from - some)?;
    let to = tx.read(cells, of[1])?;
    if to + some > most {
        return tx.reject(7);
    }
    tx.write(cells, of[1], to + some)?;
    Ok(to)
}

/// Takes one from each cell after the first, into the first: waits if one was empty, and refuses a first cell that is full.
#[gpu_transaction]
pub fn collect(tx: &mut Tx, cells: &Shared<u64>, of: [u32; ACCESSES], most: u64) -> TxResult<u64> {
    let (mut all, mut is_short) = (tx.read(cells, of[0])?, false);
    for k in 1..ACCESSES {
        let here = tx.read(cells, of[k])?;
        is_short |= here == 0;
        tx.write(cells, of[k], here.wrapping_sub(1))?;
        all += 1;
    }
    tx.guard(!is_short)?;
    if all > most {
        return tx.reject(3);
    }
    tx.write(cells, of[0], all)?;
    Ok(all)
}

/// Puts back what the first cells hold together, into the first: nothing changes. It may touch four cells in its loop.
#[gpu_transaction(max_accesses = 4)]
pub fn look_around(tx: &mut Tx, cells: &Shared<u64>, count: u32) -> TxResult<u64> {
    let first = tx.read(cells, 0)?;
    let mut sum = 0_u64;
    for at in 0..count {
        sum = sum.wrapping_add(tx.read(cells, at)?);
    }
    tx.write(cells, 0, first)?;
    Ok(sum)
}

/// Returns a cell.
#[gpu_transaction]
pub fn read_cell(tx: &mut Tx, cells: &Shared<u64>, at: u32) -> TxResult<u64> {
    tx.read(cells, at)
}

/// Returns the cell that another one names.
#[gpu_transaction]
pub fn read_found(tx: &mut Tx, cells: &Shared<u64>, at: u32) -> TxResult<u64> {
    let found = tx.read(cells, at)? % 24;
    tx.read(cells, found)
}

/// Takes one after the other from three cells that have some, and puts all into the first. It makes more accesses than it touches cells.
#[gpu_transaction(max_accesses = 4)]
pub fn gather_often(tx: &mut Tx, cells: &Shared<u64>, times: u32) -> TxResult<u64> {
    let mut all = 0;
    for nth in 0..times {
        let here = tx.read(cells, 1 + nth % 3)?;
        tx.write(cells, 1 + nth % 3, here.saturating_sub(1))?;
        all += here.min(1);
    }
    let first = tx.read(cells, 0)?;
    tx.write(cells, 0, first + all)?;
    Ok(all)
}
