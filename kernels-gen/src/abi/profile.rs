//! What a profiled unit counts, in words of 64 bits.
//!
//! Each procedure has a block: how often its transactions waited; its conflicts by the procedure that was in the way, of which the first
//! is for those where none is known; then its conflicts by location. After the blocks come the holders, a table by the hash of a lock
//! word: its address, and the number of the procedure that last acquired it. The last are the elements, in sets of
//! [`WAYS`] entries: the address of a lock word, its conflicts, and how many of these may be of lock words that had the entry before.

use std::fmt::Write as _;
use std::ops::Range;

/// The entries of the table of holders.
pub const HOLDERS: usize = 1 << 16;
/// The sets of elements.
pub const SETS: usize = 128;
/// The entries of a set.
pub const WAYS: usize = 8;
/// The words of an entry: address, conflicts, those that may be of others.
pub const ENTRY: usize = 3;

/// Where a unit's counts lie.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProfileLayout {
    /// The first word of each procedure's block, and the end of the last one.
    blocks: Vec<usize>,
}

impl ProfileLayout {
    /// Returns the layout for procedures with those numbers of locations.
    pub fn of(locations: impl ExactSizeIterator<Item = usize>) -> ProfileLayout {
        let head = 2 + locations.len();
        let mut blocks = vec![0];
        let mut end = 0;
        blocks.extend(locations.map(|locations| {
            end += head + locations;
            end
        }));
        ProfileLayout { blocks }
    }

    fn procedures(&self) -> usize {
        self.blocks.len() - 1
    }

    /// Returns the words of a block before its locations.
    fn head(&self) -> usize {
        2 + self.procedures()
    }

    /// Returns the word with the waits of a procedure, which is the first of its block.
    #[must_use]
    pub fn waits(&self, procedure: usize) -> usize {
        self.blocks[procedure]
    }

    /// Returns the words with the conflicts of a procedure by holder: not known, then one for each procedure.
    #[must_use]
    pub fn by_holder(&self, procedure: usize) -> Range<usize> {
        self.blocks[procedure] + 1..self.blocks[procedure] + self.head()
    }

    /// Returns the words with the conflicts of a procedure by location.
    #[must_use]
    pub fn locations(&self, procedure: usize) -> Range<usize> {
        self.blocks[procedure] + self.head()..self.blocks[procedure + 1]
    }

    fn holders(&self) -> usize {
        self.blocks[self.procedures()]
    }

    /// Returns the words with the elements.
    #[must_use]
    pub fn elements(&self) -> Range<usize> {
        self.holders() + HOLDERS..self.words()
    }

    /// Returns the number of all words.
    #[must_use]
    pub fn words(&self) -> usize {
        self.holders() + HOLDERS + SETS * WAYS * ENTRY
    }

    /// Prints the constants.
    pub(crate) fn put(&self, out: &mut String) {
        let (head, holders, elements) = (self.head(), self.holders(), self.elements().start);
        let _ = writeln!(
            out,
            "constexpr u32 STM_PROFILE_HEAD = {head}, STM_PROFILE_HOLDERS = {holders}, STM_PROFILE_ELEMENTS = {elements};\n\
             constexpr u32 STM_HOLDERS = {HOLDERS}, STM_ELEMENT_SETS = {SETS}, STM_ELEMENT_WAYS = {WAYS};"
        );
    }
}

#[cfg(test)]
mod tests;
