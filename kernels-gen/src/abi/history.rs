//! The history of a transaction: a word with the number of its entries, its turn and a mark, and two words for each entry, a place and a version. A
//! place is a lock word of an array; a bit of it marks writes. It has room for [`MOST_ARRAYS`] arrays of 2^47 lock words, which is more
//! than any memory holds.

use std::fmt::Write as _;

/// The bit of a place that marks a write.
pub const WRITE: u64 = 1 << 63;
/// The bit of the number of entries that marks a commit of a stage without locks: versions tell its place among the commits of other
/// stages, and not among those of its own.
pub const UNORDERED: u64 = 1 << 63;
/// The position of the turn in that word: such commits are in the order of their turns, and those of one turn in that of the batch.
pub const TURN_SHIFT: u32 = 32;
/// The bits of the number of entries.
pub const COUNT_MASK: u64 = (1 << TURN_SHIFT) - 1;
/// The position of the array's number in a place.
pub const ARRAY_SHIFT: u32 = 47;
/// The most arrays of a batch: their numbers are 16 bits, here and wherever device code stores one.
pub const MOST_ARRAYS: usize = 65_535;
/// The bits of the lock word's index.
pub const LOCK_MASK: u64 = (1 << ARRAY_SHIFT) - 1;

/// Returns the place of a read.
#[must_use]
pub const fn place(array: usize, lock: u64) -> u64 {
    (array as u64) << ARRAY_SHIFT | lock & LOCK_MASK
}

/// Returns the number of words of a history with that number of entries.
#[must_use]
pub const fn words(entries: usize) -> usize {
    1 + 2 * entries
}

/// Prints the constants.
pub(super) fn put(out: &mut String) {
    let _ = writeln!(
        out,
        "constexpr unsigned long long STM_HISTORY_WRITE = {WRITE}ull, STM_HISTORY_LOCKS = {LOCK_MASK}ull, STM_HISTORY_UNORDERED = {UNORDERED}ull;\n\
         constexpr u32 STM_HISTORY_ARRAY_SHIFT = {ARRAY_SHIFT}, STM_HISTORY_TURN_SHIFT = {TURN_SHIFT};"
    );
}
