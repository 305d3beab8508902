//! The reads and writes of a run's finished transactions, as versions of lock words.

use kernels_gen::abi::history::{ARRAY_SHIFT, LOCK_MASK, WRITE, place};

use crate::memory::{self, NoMemory};

/// The purpose of the memory, for the error when a history does not fit.
pub(crate) const WHAT: &str = "the history of a checked run";

/// One access: the version of a lock word that was read or installed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Entry {
    place: u64,
    version: u64,
}

impl Entry {
    /// Returns a read of the version.
    pub(crate) fn read(array: usize, lock: u64, version: u64) -> Entry {
        Entry { place: place(array, lock), version }
    }

    /// Returns a write that installed the version.
    pub(crate) fn write(array: usize, lock: u64, version: u64) -> Entry {
        Entry { place: WRITE | place(array, lock), version }
    }

    /// Decodes an entry as the device logs it: its place (`kernels_gen::abi::history`), then the version.
    pub(crate) fn from_words(place: u64, version: u64) -> Entry {
        Entry { place, version }
    }

    /// Returns whether the access installed its version.
    pub(crate) fn is_write(self) -> bool {
        self.place & WRITE != 0
    }

    /// Returns the index of the array among those of the job.
    pub(crate) fn array(self) -> usize {
        ((self.place & !WRITE) >> ARRAY_SHIFT) as usize
    }

    /// Returns the index of the lock word: the element's index shifted right by the coverage.
    pub(crate) fn lock(self) -> u64 {
        self.place & LOCK_MASK
    }

    /// Returns array and lock word in one number.
    pub(crate) fn location(self) -> u64 {
        self.place & mutant!("proof: arrays share their versions", !WRITE, LOCK_MASK)
    }

    /// Returns the same access with another version.
    pub(crate) fn at_version(self, version: u64) -> Entry {
        Entry { version, ..self }
    }

    /// Returns the version read or installed.
    pub(crate) fn version(self) -> u64 {
        self.version
    }
}

/// The finished transactions of a run with their entries. Every lock word starts with version 0.
#[derive(Debug, Clone, Default)]
pub(crate) struct History {
    transactions: Vec<usize>,
    /// `ends[i]` is where the entries of `transactions[i]` end.
    ends: Vec<usize>,
    entries: Vec<Entry>,
    /// Whether each commit that writes under a lock word increments it by one.
    pub(crate) dense: bool,
}

impl History {
    /// Returns an empty history.
    pub(crate) fn new(dense: bool) -> History {
        History { dense, ..History::default() }
    }

    /// Adds a finished transaction.
    pub(crate) fn push(
        &mut self,
        transaction: usize,
        entries: impl IntoIterator<Item = Entry>,
    ) -> Result<(), NoMemory> {
        memory::grow(WHAT, &mut self.transactions)?;
        memory::grow(WHAT, &mut self.ends)?;
        for entry in entries {
            memory::push(WHAT, &mut self.entries, entry)?;
        }
        self.transactions.push(transaction);
        self.ends.push(self.entries.len());
        Ok(())
    }

    /// Adds the transactions of another history of the same run.
    pub(crate) fn append(&mut self, other: &History) -> Result<(), NoMemory> {
        memory::grow_by(WHAT, &mut self.transactions, other.transactions.len())?;
        memory::grow_by(WHAT, &mut self.ends, other.ends.len())?;
        memory::grow_by(WHAT, &mut self.entries, other.entries.len())?;
        let base = mutant!("proof: joined histories lie over each other", self.entries.len(), 0);
        self.transactions.extend_from_slice(&other.transactions);
        self.entries.extend_from_slice(&other.entries);
        self.ends.extend(other.ends.iter().map(|end| base + end));
        Ok(())
    }

    /// Returns the number of finished transactions.
    pub(crate) fn len(&self) -> usize {
        self.transactions.len()
    }

    /// Returns the index of the `i`-th finished transaction in the batch.
    pub(crate) fn transaction(&self, i: usize) -> usize {
        self.transactions[i]
    }

    /// Returns the entries of the `i`-th finished transaction.
    pub(crate) fn entries(&self, i: usize) -> &[Entry] {
        let start = if i == 0 { 0 } else { self.ends[i - 1] };
        &self.entries[start..self.ends[i]]
    }
}

#[cfg(test)]
mod tests {
    use kernels_gen::abi::history::MOST_ARRAYS;

    use super::*;

    #[test]
    fn an_entry_keeps_its_parts() {
        let entry = Entry::write(MOST_ARRAYS - 1, LOCK_MASK, 7);
        assert!(entry.is_write());
        assert_eq!((entry.array(), entry.lock(), entry.version()), (MOST_ARRAYS - 1, LOCK_MASK, 7));
        assert_eq!(Entry::from_words(WRITE | 2 << ARRAY_SHIFT | 5, 1), Entry::write(2, 5, 1));
    }

    #[test]
    fn transactions_keep_their_entries_when_joined() {
        let mut a = History::new(true);
        a.push(4, [Entry::read(0, 1, 0)]).unwrap();
        let mut b = History::new(true);
        b.push(9, []).unwrap();
        b.push(2, [Entry::read(0, 1, 0), Entry::write(0, 1, 1)]).unwrap();
        a.append(&b).unwrap();
        assert_eq!(a.len(), 3);
        assert_eq!((a.transaction(2), a.entries(2).len(), a.entries(1).len()), (2, 2, 0));
    }
}
