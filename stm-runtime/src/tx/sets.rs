//! The read set and the write set of an attempt. They keep their memory from attempt to attempt.

use super::lock::{Cell, ElementRef};
use crate::keymap::KeyMap;
use crate::memory::{self, NoMemory};
use crate::sync::{AtomicU64, Ordering};

/// The purpose of the memory, for the error when the sets do not fit.
pub(crate) const WHAT: &str = "the sets of a transaction";
/// Above this many entries a set is searched by hash.
const LINEAR: usize = 12;

/// An element: index of the array in the run, and index in the array.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ElementKey(u64);

impl ElementKey {
    const ARRAY_SHIFT: u32 = 48;

    #[inline]
    pub(crate) fn new(array: u32, index: u64) -> ElementKey {
        ElementKey(u64::from(array) << ElementKey::ARRAY_SHIFT | index)
    }

    pub(crate) fn array(self) -> usize {
        (self.0 >> ElementKey::ARRAY_SHIFT) as usize
    }

    pub(crate) fn index(self) -> u64 {
        self.0 & ((1 << ElementKey::ARRAY_SHIFT) - 1)
    }

    /// Returns one of 64 bits, for quickly excluding elements.
    #[inline]
    fn bit(self) -> u64 {
        1 << (self.0.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 58)
    }
}

/// A read: the lock word's version when the value was read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Read<'a> {
    pub(crate) lock: &'a AtomicU64,
    pub(crate) version: u64,
    pub(crate) key: ElementKey,
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

/// An element that the attempt writes, or has locked because it may write it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Write<'a> {
    pub(crate) place: ElementRef<'a>,
    /// The value for this attempt: the one written, or else the one read.
    pub(crate) word: u64,
    pub(crate) key: ElementKey,
    /// The version of the lock word before the attempt took it, once it has.
    pub(crate) version: u64,
    pub(crate) location: u32,
    /// The attempt has read the element with the lock.
    pub(crate) is_read: bool,
    /// The attempt has written the element.
    pub(crate) is_written: bool,
    /// The attempt took the lock for this element, and releases it for this element.
    pub(crate) is_owner: bool,
    /// The lock word gets the next version at the commit. It counts for the owner alone.
    pub(crate) is_next: bool,
}

/// The elements that an attempt writes or has locked, one entry for each.
#[derive(Debug, Default)]
pub(crate) struct WriteSet<'a> {
    entries: Vec<Write<'a>>,
    /// The union of the elements' bits.
    bits: u64,
    /// Positions by key, once there are many.
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

    /// Empties what finds the entries by key. Entries that were added where there was room are not in it.
    #[inline(never)]
    fn forget(&mut self) {
        if self.entries.len() > LINEAR {
            mutant!("cpu: a large set of writes outlives its attempt", self.map.clear(), ());
        }
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

    /// Returns the entry of an element.
    #[inline]
    pub(crate) fn find(&self, key: ElementKey) -> Option<&Write<'a>> {
        if self.bits & key.bit() == 0 {
            return None;
        }
        self.position(key).map(|at| &self.entries[at])
    }

    #[inline]
    pub(crate) fn find_mut(&mut self, key: ElementKey) -> Option<&mut Write<'a>> {
        if self.bits & key.bit() == 0 {
            return None;
        }
        self.position(key).map(|at| &mut self.entries[at])
    }

    /// Returns the position of the entry that took a lock. `key` is an element under it.
    pub(crate) fn owner_of(&self, lock: &AtomicU64, key: ElementKey) -> Option<usize> {
        let is_owner = |write: &Write<'_>| write.is_owner && std::ptr::eq(write.place.lock, lock);
        // Most lock words have one element.
        let own = self.position(key).filter(|at| is_owner(&self.entries[*at]));
        own.or_else(|| self.entries.iter().position(is_owner))
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

    /// Adds the entry of an element that has none, where there is room. Then it is found by its lock word only.
    #[inline(always)]
    pub(crate) fn push_with_room(&mut self, write: Write<'a>) {
        debug_assert!(self.has_room(), "the caller has looked");
        self.entries.push(write);
    }

    /// Returns the last entry, if it is that of an element with a lock word of its own.
    #[inline(always)]
    pub(crate) fn last_if(&mut self, cell: &Cell) -> Option<&mut Write<'a>> {
        self.entries.last_mut().filter(|write| std::ptr::eq(write.place.lock, &cell.lock))
    }

    /// Returns the entry of an element with a lock word of its own.
    #[inline(never)]
    pub(crate) fn find_cell(&self, cell: &Cell) -> Option<&Write<'a>> {
        self.entries.iter().find(|write| std::ptr::eq(write.place.lock, &cell.lock))
    }

    pub(crate) fn find_cell_mut(&mut self, cell: &Cell) -> Option<&mut Write<'a>> {
        self.entries.iter_mut().find(|write| std::ptr::eq(write.place.lock, &cell.lock))
    }

    /// Adds the entry of an element that has none. After an error it is not there.
    #[inline]
    pub(crate) fn push(&mut self, write: Write<'a>) -> Result<(), NoMemory> {
        memory::push(WHAT, &mut self.entries, write)?;
        self.bits |= write.key.bit();
        let indexed = if self.entries.len() > LINEAR { self.index() } else { Ok(()) };
        if indexed.is_err() {
            self.entries.pop();
        }
        indexed
    }

    fn position(&self, key: ElementKey) -> Option<usize> {
        if self.entries.len() <= LINEAR {
            self.entries.iter().position(|write| write.key == key)
        } else {
            self.map.get(key.0)
        }
    }

    #[cold]
    fn index(&mut self) -> Result<(), NoMemory> {
        let last = self.entries.len() - 1;
        let first = if last == LINEAR { mutant!("cpu: a large set of writes forgets the first", 0, 1) } else { last };
        for (at, write) in self.entries.iter().enumerate().skip(first) {
            self.map.make_room()?;
            self.map.insert(write.key.0, at);
        }
        Ok(())
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::tx::CpuArray;

    fn write(place: ElementRef<'_>, key: ElementKey) -> Write<'_> {
        Write {
            place,
            word: 0,
            key,
            version: 0,
            location: 0,
            is_read: false,
            is_written: true,
            is_owner: false,
            is_next: false,
        }
    }

    fn word(set: &WriteSet<'_>, array: u32) -> Option<u64> {
        set.find(ElementKey::new(array, 99)).map(|write| write.word)
    }

    #[test]
    fn large_sets_find_every_write_once() {
        let array = CpuArray::new([0; 100].into_iter(), 0).unwrap();
        let mut set = WriteSet::default();
        for round in 0..2 {
            for (step, index) in (0..100).chain(0..100).enumerate() {
                let word = step as u64 + 1000 * round;
                let key = ElementKey::new(3, index);
                match set.find_mut(key) {
                    Some(write) => write.word = word,
                    None => set.push(Write { word, ..write(array.at(index).unwrap(), key) }).unwrap(),
                }
            }
            assert_eq!(set.entries().len(), 100);
            assert_eq!(word(&set, 3), Some(199 + 1000 * round));
            assert_eq!(word(&set, 2), None);
            set.clear();
            assert_eq!(word(&set, 3), None);
        }
    }

    #[test]
    fn owners_of_locks_are_found_in_small_and_large_sets() {
        for coverage_log2 in [0, 1] {
            let array = CpuArray::new([0; 100].into_iter(), coverage_log2).unwrap();
            let mut set = WriteSet::default();
            for index in 0..50 {
                let (place, key) = (array.at(index).unwrap(), ElementKey::new(0, index));
                let owner = set.owner_of(place.lock, key);
                assert_eq!(owner, (coverage_log2 == 1 && index % 2 == 1).then(|| index as usize - 1));
                set.push(Write { is_owner: owner.is_none(), ..write(place, key) }).unwrap();
                let owner = owner.unwrap_or(index as usize);
                assert_eq!(set.owner_of(place.lock, key), Some(owner));
            }
        }
    }

    #[test]
    fn keys_keep_array_and_index() {
        let key = ElementKey::new(63, (1 << 47) - 1);
        assert_eq!((key.array(), key.index()), (63, (1 << 47) - 1));
    }
}
