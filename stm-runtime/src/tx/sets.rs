//! The read set and the write set of an attempt. They keep their memory from attempt to attempt.

use super::lock::ElementRef;
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
    /// afterwards sees all that this thread did before.
    pub(crate) fn is_still_current(&self) -> bool {
        // A read-modify-write operation, as the taking of a lock is: they have one order, and each sees the one before.
        self.lock.fetch_add(0, Ordering::AcqRel) == self.version << 1
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

/// A buffered write.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Write<'a> {
    pub(crate) place: ElementRef<'a>,
    pub(crate) word: u64,
    pub(crate) key: ElementKey,
    pub(crate) location: u32,
}

/// The writes, one for each element.
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
        if self.entries.len() > LINEAR {
            mutant!("cpu: a large set of writes outlives its attempt", self.map.clear(), ());
        }
        self.entries.clear();
        self.bits = 0;
    }

    #[inline]
    pub(crate) fn entries(&self) -> &[Write<'a>] {
        &self.entries
    }

    /// Returns the value that this transaction wrote.
    #[inline]
    pub(crate) fn find(&self, key: ElementKey) -> Option<u64> {
        if self.bits & key.bit() == 0 {
            return None;
        }
        self.position(key).map(|at| self.entries[at].word)
    }

    /// Adds a write, or replaces an earlier one of the same element.
    #[inline]
    pub(crate) fn put(&mut self, write: Write<'a>) -> Result<(), NoMemory> {
        let earlier = if self.bits & write.key.bit() == 0 { None } else { self.position(write.key) };
        if let Some(at) = earlier {
            self.entries[at].word =
                mutant!("cpu: the first write of an element stays", write.word, self.entries[at].word);
            return Ok(());
        }
        memory::push(WHAT, &mut self.entries, write)?;
        self.bits |= write.key.bit();
        if self.entries.len() > LINEAR { self.index() } else { Ok(()) }
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

/// A lock word that the attempt holds.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Owned<'a> {
    pub(crate) lock: &'a AtomicU64,
    /// Its version before the attempt took it.
    pub(crate) version: u64,
    /// The attempt writes an element under it.
    pub(crate) is_written: bool,
}

/// The lock words that an attempt holds: first those that it took for a read, then those that its commit took.
#[derive(Debug, Default)]
pub(crate) struct OwnedSet<'a> {
    locks: Vec<Owned<'a>>,
    /// How many were taken for a read.
    early: usize,
    sorted: bool,
}

impl<'a> OwnedSet<'a> {
    /// Adds a lock that was taken for a read.
    #[inline]
    pub(crate) fn push_early(&mut self, lock: &'a AtomicU64, version: u64) -> Result<(), NoMemory> {
        memory::push(WHAT, &mut self.locks, Owned { lock, version, is_written: false })?;
        (self.early, self.sorted) = (self.locks.len(), false);
        Ok(())
    }

    /// Adds a lock that the commit took.
    #[inline]
    pub(crate) fn push(&mut self, lock: &'a AtomicU64, version: u64) -> Result<(), NoMemory> {
        self.sorted = false;
        memory::push(WHAT, &mut self.locks, Owned { lock, version, is_written: true })
    }

    /// Notes that the attempt writes under a lock of the set. Those that were taken for a read are few.
    #[inline]
    pub(crate) fn is_written(&mut self, lock: &AtomicU64) {
        if let Some(owned) = self.locks[..self.early].iter_mut().find(|owned| std::ptr::eq(owned.lock, lock)) {
            owned.is_written = true;
        }
    }

    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.locks.is_empty()
    }

    /// Removes all of them.
    #[inline]
    pub(crate) fn drain(&mut self) -> impl Iterator<Item = Owned<'a>> {
        (self.early, self.sorted) = (0, false);
        self.locks.drain(..)
    }

    /// Returns the version of a lock of the set before it was taken.
    #[inline]
    pub(crate) fn version(&mut self, lock: &AtomicU64) -> Option<u64> {
        if self.locks.len() <= LINEAR {
            return self.locks.iter().find(|owned| std::ptr::eq(owned.lock, lock)).map(|owned| owned.version);
        }
        if !self.sorted {
            self.locks.sort_unstable_by_key(|owned| std::ptr::from_ref(owned.lock));
            self.sorted = true;
        }
        let wanted = std::ptr::from_ref(lock);
        let at = self.locks.binary_search_by_key(&wanted, |owned| std::ptr::from_ref(owned.lock)).ok()?;
        Some(self.locks[at].version)
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::tx::CpuArray;

    #[test]
    fn large_sets_find_every_write_once() {
        let array = CpuArray::new([0; 100].into_iter(), 0).unwrap();
        let mut set = WriteSet::default();
        for round in 0..2 {
            for (step, index) in (0..100).chain(0..100).enumerate() {
                let word = step as u64 + 1000 * round;
                set.put(Write { place: array.at(index).unwrap(), word, key: ElementKey::new(3, index), location: 0 })
                    .unwrap();
            }
            assert_eq!(set.entries().len(), 100);
            assert_eq!(set.find(ElementKey::new(3, 99)), Some(199 + 1000 * round));
            assert_eq!(set.find(ElementKey::new(2, 99)), None);
            set.clear();
            assert_eq!(set.find(ElementKey::new(3, 99)), None);
        }
    }

    #[test]
    fn owned_locks_are_found_in_small_and_large_sets() {
        let array = CpuArray::new([0; 100].into_iter(), 0).unwrap();
        let mut owned = OwnedSet::default();
        for index in 0..50 {
            owned.push(array.at(index).unwrap().lock, index).unwrap();
            assert_eq!(owned.version(array.at(0).unwrap().lock), Some(0));
            assert_eq!(owned.version(array.at(index).unwrap().lock), Some(index));
            assert_eq!(owned.version(array.at(index + 1).unwrap().lock), None);
        }
    }

    #[test]
    fn keys_keep_array_and_index() {
        let key = ElementKey::new(63, (1 << 47) - 1);
        assert_eq!((key.array(), key.index()), (63, (1 << 47) - 1));
    }
}
