//! The read set and the write set of an attempt, with one entry for each record. They keep their memory from attempt to attempt.

use super::table::{Cell, Row};
use crate::keymap::KeyMap;
use crate::memory::{self, NoMemory};
use crate::sync::{AtomicU64, Ordering};

/// The purpose of the memory, for the error when the sets do not fit.
pub(crate) const WHAT: &str = "the sets of a transaction";
/// Above this many entries a set is searched by hash.
const LINEAR: usize = 12;
/// The components whose marks fit in a word.
const MARKS: usize = u64::BITS as usize;

/// A read: the lock word's version when the values were read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Read<'a> {
    pub(crate) lock: &'a AtomicU64,
    pub(crate) version: u64,
    pub(crate) location: u32,
}

impl Read<'_> {
    /// Returns whether the lock word is free, and at that version.
    #[inline]
    pub(crate) fn is_current(&self) -> bool {
        self.lock.load(Ordering::Relaxed) == self.version << 1
    }

    /// Returns the same, ordered with the commits that take this lock: one that took it before is seen here, and one that takes it
    /// afterwards sees all that this thread did before. `None` while another attempt holds the lock.
    pub(crate) fn is_still_current(&self) -> Option<bool> {
        // A read-modify-write operation, as the taking of a lock is: they have one order, and each sees the one before.
        let word = self.lock.fetch_add(0, Ordering::AcqRel);
        (word & 1 == 0).then_some(word == self.version << 1)
    }

    /// Returns the element, as waiting transactions identify it.
    pub(crate) fn element(&self) -> u64 {
        element_of(self.lock)
    }
}

/// Returns the element of a lock word, as waiting transactions identify it: elements under one lock word count as one.
pub(crate) fn element_of(lock: &AtomicU64) -> u64 {
    std::ptr::from_ref(lock).addr() as u64
}

/// A record that the attempt writes, or has locked because it may write it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Write<'a> {
    pub(crate) row: Row<'a>,
    /// For a scalar, its value for this attempt: the one written, or else the one read on the fast path. For a record that is written,
    /// where its marks and values are in [`WriteSet::words`].
    pub(crate) word: u64,
    /// The version of the lock word before the attempt took it, once it has.
    pub(crate) version: u64,
    pub(crate) location: u32,
    /// The attempt has read the record with the lock.
    pub(crate) is_read: bool,
    /// The attempt has written a component of the record.
    pub(crate) is_written: bool,
    /// The attempt took the lock for this record, and releases it for this record.
    pub(crate) is_owner: bool,
    /// The lock word gets the next version at the commit. It counts for the owner alone.
    pub(crate) is_next: bool,
}

impl<'a> Write<'a> {
    /// Returns the entry of a record that has been neither read nor written.
    #[inline(always)]
    pub(crate) fn new(row: Row<'a>, location: u32) -> Write<'a> {
        Write { row, word: 0, version: 0, location, is_read: false, is_written: false, is_owner: false, is_next: false }
    }
}

/// The records that an attempt writes or has locked, one entry for each.
#[derive(Debug, Default)]
pub(crate) struct WriteSet<'a> {
    entries: Vec<Write<'a>>,
    /// For each record that is written, other than scalars: a bit for each component that is written, and then the values.
    words: Vec<u64>,
    /// The union of the records' bits.
    bits: u64,
    /// Positions by record, once there are many.
    map: KeyMap,
}

impl<'a> WriteSet<'a> {
    #[inline]
    pub(crate) fn clear(&mut self) {
        if self.bits != 0 {
            self.forget();
        }
        self.entries.clear();
    }

    /// Empties what only entries of the slow path and of records use.
    #[inline(never)]
    fn forget(&mut self) {
        if self.entries.len() > LINEAR {
            mutant!("cpu: a large set of writes outlives its attempt", self.map.clear(), ());
        }
        self.words.clear();
        self.bits = 0;
    }

    #[inline]
    pub(crate) fn entries(&self) -> &[Write<'a>] {
        &self.entries
    }

    #[inline]
    pub(crate) fn entries_mut(&mut self) -> &mut [Write<'a>] {
        &mut self.entries
    }

    /// Returns the position of the entry of a record. Entries that were added where there was room are not found.
    #[inline]
    pub(crate) fn find(&self, row: Row<'a>) -> Option<usize> {
        if self.may_have(row) { self.position(row.id()) } else { None }
    }

    /// Returns false if a record has no entry.
    #[inline]
    pub(crate) fn may_have(&self, row: Row<'a>) -> bool {
        self.bits & bit(row.id()) != 0
    }

    /// Returns the position of the entry that took a lock.
    pub(crate) fn owner_of(&self, lock: &AtomicU64) -> Option<usize> {
        let is_owner = |write: &Write<'_>| write.is_owner && std::ptr::eq(write.row.lock, lock);
        // The values of most lock words are behind them.
        let own = self.position(element_of(lock) + size_of::<AtomicU64>() as u64);
        own.filter(|at| is_owner(&self.entries[*at])).or_else(|| self.entries.iter().position(is_owner))
    }

    #[cfg(all(test, loom))]
    pub(crate) fn make_room(&mut self) {
        self.entries.reserve(8);
    }

    /// Returns whether one more entry can be added at once.
    #[inline(always)]
    pub(crate) fn has_room(&self) -> bool {
        self.entries.len() < LINEAR && self.entries.len() < self.entries.capacity()
    }

    /// Adds the entry of a scalar that has none, where there is room. Then it is found by its lock word only.
    #[inline(always)]
    pub(crate) fn push_with_room(&mut self, write: Write<'a>) {
        debug_assert!(self.has_room(), "the caller has looked");
        self.entries.push(write);
    }

    /// Returns the last entry, if it is that of a scalar with a lock word of its own.
    #[inline(always)]
    pub(crate) fn last_if(&mut self, cell: &Cell) -> Option<&mut Write<'a>> {
        self.entries.last_mut().filter(|write| std::ptr::eq(write.row.lock, &cell[0]))
    }

    /// Returns the entry of a scalar with a lock word of its own.
    #[inline(never)]
    pub(crate) fn find_cell(&self, cell: &Cell) -> Option<&Write<'a>> {
        self.entries.iter().find(|write| std::ptr::eq(write.row.lock, &cell[0]))
    }

    pub(crate) fn find_cell_mut(&mut self, cell: &Cell) -> Option<&mut Write<'a>> {
        self.entries.iter_mut().find(|write| std::ptr::eq(write.row.lock, &cell[0]))
    }

    /// Adds the entry of a record that has none. After an error it is not there.
    #[inline]
    pub(crate) fn push(&mut self, write: Write<'a>) -> Result<(), NoMemory> {
        memory::push(WHAT, &mut self.entries, write)?;
        self.bits |= bit(write.row.id());
        let indexed = if self.entries.len() > LINEAR { self.index() } else { Ok(()) };
        if indexed.is_err() {
            self.entries.pop();
        }
        indexed
    }

    /// Returns what the attempt has written to a component of the record of an entry.
    #[inline]
    pub(crate) fn written(&self, at: usize, component: usize) -> Option<u64> {
        let write = &self.entries[at];
        if !write.is_written {
            return None;
        }
        let components = write.row.values.len();
        if components == 1 {
            return Some(write.word);
        }
        let first = write.word as usize;
        let is_marked = self.words[first + component / MARKS] >> (component % MARKS) & 1 == 1;
        is_marked.then(|| self.words[first + components.div_ceil(MARKS) + component])
    }

    /// Notes what the attempt writes to components of the record of an entry, beginning with that one.
    #[inline]
    pub(crate) fn set(&mut self, at: usize, component: usize, words: &[u64]) -> Result<(), NoMemory> {
        let write = &mut self.entries[at];
        let components = write.row.values.len();
        if let (1, [word]) = (components, words) {
            let is_first = mutant!("cpu: the first write of an element stays", true, !write.is_written);
            if is_first {
                write.word = *word;
            }
            write.is_written = true;
            return Ok(());
        }
        if !write.is_written {
            let first = self.words.len();
            let end = first + components.div_ceil(MARKS) + components;
            if end > self.words.capacity() {
                memory::grow_by(WHAT, &mut self.words, end - first)?;
            }
            self.words.resize(end, 0);
            (write.word, write.is_written) = (first as u64, true);
        }
        let record = &mut self.words[write.word as usize..];
        let (marks, values) = record.split_at_mut(components.div_ceil(MARKS));
        for (component, word) in (component..).zip(words) {
            marks[component / MARKS] |= 1 << (component % MARKS);
            values[component] = *word;
        }
        Ok(())
    }

    /// Stores what the attempt has written to the record of an entry. `step` is called before each store.
    #[inline(always)]
    pub(crate) fn store(&self, write: &Write<'a>, step: impl Fn()) {
        if let [value] = write.row.values {
            step();
            value.store(write.word, Ordering::Release);
        } else {
            self.store_record(write, step);
        }
    }

    #[inline(never)]
    fn store_record(&self, write: &Write<'a>, step: impl Fn()) {
        let values = write.row.values;
        let (marks, words) = self.words[write.word as usize..].split_at(values.len().div_ceil(MARKS));
        for (part, marks) in marks.iter().enumerate() {
            let mut marks = *marks;
            while marks != 0 {
                let at = part * MARKS + marks.trailing_zeros() as usize;
                step();
                values[at].store(words[at], Ordering::Release);
                marks &= marks - 1;
                if mutant!("cpu: a commit stores one field of a record", false, true) {
                    return;
                }
            }
        }
    }

    fn position(&self, id: u64) -> Option<usize> {
        if self.entries.len() <= LINEAR {
            self.entries.iter().position(|write| write.row.id() == id)
        } else {
            self.map.get(id)
        }
    }

    #[cold]
    fn index(&mut self) -> Result<(), NoMemory> {
        let last = self.entries.len() - 1;
        let first = if last == LINEAR { mutant!("cpu: a large set of writes forgets the first", 0, 1) } else { last };
        for (at, write) in self.entries.iter().enumerate().skip(first) {
            self.map.make_room()?;
            self.map.insert(write.row.id(), at);
        }
        Ok(())
    }
}

/// Returns one of 64 bits, for quickly excluding records.
#[inline]
fn bit(id: u64) -> u64 {
    1 << (id.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 58)
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::tx::CpuArray;

    fn row(array: &CpuArray, at: u64) -> Row<'_> {
        array.table().row(at).unwrap()
    }

    /// Returns a hundred records of that many components.
    fn records(components: usize, coverage_log2: u32) -> CpuArray {
        CpuArray::of_record(&vec![vec![0; 100]; components], coverage_log2).unwrap().remove(0)
    }

    #[test]
    fn large_sets_find_every_write_once() {
        for components in [1, 3, 70] {
            let array = records(components, 0);
            let mut set = WriteSet::default();
            for round in 0..2 {
                for (step, index) in (0..100).chain(0..100).enumerate() {
                    let row = row(&array, index);
                    let at = set.find(row).unwrap_or_else(|| {
                        set.push(Write::new(row, 0)).unwrap();
                        set.entries().len() - 1
                    });
                    set.set(at, components - 1, &[step as u64 + 1000 * round]).unwrap();
                }
                assert_eq!(set.entries().len(), 100);
                let at = set.find(row(&array, 99)).unwrap();
                assert_eq!(set.written(at, components - 1), Some(199 + 1000 * round));
                assert!(components == 1 || set.written(at, 0).is_none(), "only the last component is written");
                set.entries().iter().for_each(|write| set.store(write, || ()));
                assert_eq!(row(&array, 99).values[components - 1].load(Ordering::Relaxed), 199 + 1000 * round);
                assert!(components == 1 || row(&array, 99).values[0].load(Ordering::Relaxed) == 0);
                set.clear();
                assert!(set.find(row(&array, 99)).is_none());
            }
        }
    }

    #[test]
    fn owners_of_locks_are_found_in_small_and_large_sets() {
        for (components, coverage_log2) in [(1, 0), (1, 1), (2, 0), (2, 1)] {
            let array = records(components, coverage_log2);
            let mut set = WriteSet::default();
            for index in 0..50 {
                let row = row(&array, index);
                let owner = set.owner_of(row.lock);
                assert_eq!(owner, (coverage_log2 == 1 && index % 2 == 1).then(|| index as usize - 1));
                set.push(Write { is_owner: owner.is_none(), ..Write::new(row, 0) }).unwrap();
                assert_eq!(set.owner_of(row.lock), Some(owner.unwrap_or(index as usize)));
            }
        }
    }
}
