//! The lock word of the threaded engine, and the memory that it guards.
//!
//! A word is `version << 1` while free and `owner << 1 | 1` while an attempt holds it. A version counts the commits that wrote under
//! the lock word; 63 bits never wrap.
//!
//! | access | order | why |
//! |---|---|---|
//! | first load of the lock word by a reader | acquire | the value belongs to this version or a later one |
//! | load of the value | acquire | a reader of a new value also sees its lock held, and the second load stays after this one |
//! | second load of the lock word | relaxed | ordered by the value's acquire load before it |
//! | acquiring the lock | acquire | the stores of the last owner are visible |
//! | store of the value | release | publishes that the lock was acquired before |
//! | releasing the lock | release | publishes the values |

use crate::memory::{self, NoMemory};
use crate::sync::{AtomicU64, Ordering, spin_loop};

/// The purpose of the memory, for the error when an array does not fit.
const WHAT: &str = "a shared array";

/// A lock word and the one element it guards, in one cache line.
#[derive(Debug)]
// In this order: `ElementRef::is_one_line` expects the value directly after the lock word.
#[repr(C, align(16))]
pub(crate) struct Cell {
    pub(crate) lock: AtomicU64,
    pub(crate) value: AtomicU64,
}

/// The elements of an array in host memory.
#[derive(Debug)]
pub(crate) struct CpuArray {
    layout: Layout,
    coverage_log2: u32,
}

// With a tag of its own, which every access compares.
#[derive(Debug)]
#[repr(u8)]
enum Layout {
    /// One element under each lock word.
    Cells(Vec<Cell>),
    /// Several elements under each lock word.
    Split { values: Vec<AtomicU64>, locks: Vec<AtomicU64> },
}

/// One element and its lock word.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ElementRef<'a> {
    pub(crate) lock: &'a AtomicU64,
    pub(crate) value: &'a AtomicU64,
}

impl ElementRef<'_> {
    /// Returns whether lock word and value are next to each other.
    #[inline]
    pub(crate) fn is_one_line(self) -> bool {
        std::ptr::from_ref(self.value).addr() == std::ptr::from_ref(self.lock).addr() + size_of::<AtomicU64>()
    }
}

impl CpuArray {
    /// Returns an array with these elements, every lock word free and at version 0.
    pub(crate) fn new(words: impl ExactSizeIterator<Item = u64>, coverage_log2: u32) -> Result<CpuArray, NoMemory> {
        let layout = if coverage_log2 == 0 {
            let cell = |word| Cell { lock: AtomicU64::new(0), value: AtomicU64::new(word) };
            Layout::Cells(memory::collected(WHAT, words.map(cell))?)
        } else {
            let locks = words.len().div_ceil(1 << coverage_log2);
            Layout::Split {
                values: memory::collected(WHAT, words.map(AtomicU64::new))?,
                locks: memory::collected(WHAT, (0..locks).map(|_| AtomicU64::new(0)))?,
            }
        };
        Ok(CpuArray { layout, coverage_log2 })
    }

    /// Returns the element at an index; `None` past the end.
    #[inline]
    pub(crate) fn at(&self, index: u64) -> Option<ElementRef<'_>> {
        let index = usize::try_from(index).ok()?;
        match &self.layout {
            Layout::Cells(cells) => cells.get(index).map(|cell| ElementRef { lock: &cell.lock, value: &cell.value }),
            Layout::Split { values, locks } => {
                Some(ElementRef { value: values.get(index)?, lock: locks.get(index >> self.coverage_log2)? })
            }
        }
    }

    /// Returns the elements with a lock word each; none where several share one.
    pub(crate) fn cells(&self) -> &[Cell] {
        match &self.layout {
            Layout::Cells(cells) => cells,
            Layout::Split { .. } => &[],
        }
    }

    /// Loads the cache line of an element, if it exists. The value is not used, so nothing waits for it.
    #[inline]
    pub(crate) fn touch(&self, index: u64) {
        if let Some(place) = self.at(index) {
            let _ = place.lock.load(Ordering::Relaxed);
            if !place.is_one_line() {
                let _ = place.value.load(Ordering::Relaxed);
            }
        }
    }

    /// Returns the base-2 logarithm of the elements under one lock word.
    pub(crate) fn coverage_log2(&self) -> u32 {
        self.coverage_log2
    }

    /// Returns all elements. No run uses the array meanwhile.
    pub(crate) fn words(&self) -> Result<Vec<u64>, NoMemory> {
        const COPY: &str = "a copy of a shared array";
        let word = |value: &AtomicU64| value.load(Ordering::Relaxed);
        match &self.layout {
            Layout::Cells(cells) => memory::collected(COPY, cells.iter().map(|cell| word(&cell.value))),
            Layout::Split { values, .. } => memory::collected(COPY, values.iter().map(word)),
        }
    }

    /// Sets every lock word to version 0, where recorded histories start. No run uses the array meanwhile.
    pub(crate) fn reset_versions(&self) {
        match &self.layout {
            Layout::Cells(cells) => cells.iter().for_each(|cell| cell.lock.store(0, Ordering::Relaxed)),
            Layout::Split { locks, .. } => locks.iter().for_each(|lock| lock.store(0, Ordering::Relaxed)),
        }
    }

    /// Returns the bytes of the elements and of the lock words.
    pub(crate) fn bytes(&self) -> (u64, u64) {
        match &self.layout {
            Layout::Cells(cells) => (8 * cells.len() as u64, 8 * cells.len() as u64),
            Layout::Split { values, locks } => (8 * values.len() as u64, 8 * locks.len() as u64),
        }
    }
}

/// The spin limit: loads of a locked word before the attempt conflicts. Most attempts hold their locks for well under a
/// microsecond, unless its thread lost its core; then waiting is useless.
const SPIN_LIMIT: u32 = if cfg!(loom) { 1 } else { 64 };

/// What a read finds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Seen {
    /// A value and its version, both of one moment.
    Free { word: u64, version: u64 },
    /// The value of an element that the reader has locked.
    Own { word: u64 },
    /// Another attempt kept the lock for too long.
    Locked,
}

/// Reads an element for the owner with the number `me`.
#[inline]
pub(crate) fn read(place: ElementRef<'_>, me: u64) -> Seen {
    for _ in 0..=SPIN_LIMIT {
        let before = place.lock.load(Ordering::Acquire);
        if before == held_by(me) {
            return Seen::Own { word: place.value.load(Ordering::Relaxed) };
        }
        if mutant!("cpu: locked elements are read", before & 1 == 0, true) {
            let word = place.value.load(Ordering::Acquire);
            if place.lock.load(Ordering::Relaxed) == before {
                return Seen::Free { word, version: before >> 1 };
            }
        }
        spin_loop();
    }
    Seen::Locked
}

/// Reads an element whose lock word was seen free, and has not changed since.
#[inline(always)]
pub(crate) fn read_at_once(place: ElementRef<'_>, before: u64) -> Option<u64> {
    let word = place.value.load(Ordering::Acquire);
    (place.lock.load(Ordering::Relaxed) == before).then_some(word)
}

/// The result of acquiring a lock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Taken {
    /// The lock is ours now; it was free at this version.
    Now(u64),
    /// The lock was ours already.
    Before,
    /// Another commit kept it for too long.
    No,
}

/// Acquires a lock for the owner with the number `me`.
#[inline]
pub(crate) fn take(lock: &AtomicU64, me: u64) -> Taken {
    for _ in 0..=SPIN_LIMIT {
        let word = lock.load(Ordering::Relaxed);
        if word == held_by(me) {
            return Taken::Before;
        }
        let is_free = mutant!("cpu: the lock of another is taken", word & 1 == 0, true);
        let taken = is_free && lock.compare_exchange(word, held_by(me), Ordering::Acquire, Ordering::Relaxed).is_ok();
        if taken {
            return Taken::Now(word >> 1);
        }
        spin_loop();
    }
    Taken::No
}

/// Acquires a lock whose word was seen free, and has not changed since.
#[inline(always)]
pub(crate) fn take_at_once(lock: &AtomicU64, before: u64, me: u64) -> bool {
    lock.compare_exchange(before, held_by(me), Ordering::Acquire, Ordering::Relaxed).is_ok()
}

/// Releases a lock that the caller holds.
#[inline]
pub(crate) fn free(lock: &AtomicU64, version: u64) {
    lock.store(version << 1, Ordering::Release);
}

/// Returns the word of a lock that the owner holds.
#[inline]
pub(crate) fn held_by(me: u64) -> u64 {
    me << 1 | 1
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn a_lock_has_one_owner() {
        let lock = AtomicU64::new(6);
        assert_eq!(take(&lock, 1), Taken::Now(3));
        assert_eq!(take(&lock, 1), Taken::Before);
        assert_eq!(take(&lock, 2), Taken::No);
        free(&lock, 9);
        assert_eq!(take(&lock, 2), Taken::Now(9));
    }

    #[test]
    fn a_locked_element_cannot_be_read() {
        let array = CpuArray::new([5, 6].into_iter(), 0).unwrap();
        let place = array.at(1).unwrap();
        assert_eq!(read(place, 2), Seen::Free { word: 6, version: 0 });
        take(place.lock, 1);
        assert_eq!((read(place, 2), read(place, 1)), (Seen::Locked, Seen::Own { word: 6 }));
    }

    #[test]
    fn coverage_shares_lock_words() {
        let array = CpuArray::new([0; 9].into_iter(), 2).unwrap();
        assert!(std::ptr::eq(array.at(4).unwrap().lock, array.at(7).unwrap().lock));
        assert!(!std::ptr::eq(array.at(7).unwrap().lock, array.at(8).unwrap().lock));
        assert!(array.at(9).is_none());
        assert!(array.at(u64::MAX).is_none());
        assert_eq!(array.bytes(), (72, 24));
    }
}
