//! Lists of outcomes that are kept when a report is dropped, because new memory costs a page fault every 4 KiB.

use std::collections::VecDeque;
use std::ops::{Deref, DerefMut, Range};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::memory::{self, NoMemory};

/// The bytes that are kept: of a list at least, of all at most.
pub(super) const KEPT: Range<usize> = if cfg!(test) { 1 << 10..1 << 20 } else { 1 << 18..1 << 27 };
/// The most lists: reports of a few runs are made and dropped beside each other.
const MOST: usize = 8;
/// How many times as much as is needed may be taken.
pub(super) const SPARE: usize = 4;

/// Kept lists, the oldest first.
pub(super) struct KeptLists<T>(Mutex<VecDeque<Vec<T>>>);

impl<T> KeptLists<T> {
    pub(super) const fn new() -> KeptLists<T> {
        KeptLists(Mutex::new(VecDeque::new()))
    }

    /// Takes a list with room for that many elements, with what it had.
    pub(super) fn take(&self, elements: usize) -> Option<Vec<T>> {
        let fits = |list: &Vec<T>| (elements..=SPARE.saturating_mul(elements)).contains(&list.capacity());
        let mut lists = self.lock();
        lists.iter().rposition(fits).and_then(|at| lists.remove(at))
    }

    /// Keeps a list, if it is neither small nor too large.
    pub(super) fn keep(&self, list: &mut Vec<T>) {
        let bytes = |list: &Vec<T>| list.capacity() * size_of::<T>();
        if !KEPT.contains(&bytes(list)) {
            return;
        }
        let mut lists = self.lock();
        lists.push_back(std::mem::take(list));
        while lists.len() > MOST || lists.iter().map(bytes).sum::<usize>() > KEPT.end {
            lists.pop_front();
        }
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<Vec<T>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The code or the fault of each transaction; no list where no transaction has one.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Details(Vec<u32>);

static DETAILS: KeptLists<u32> = KeptLists::new();

impl Details {
    /// Returns zeros.
    pub(crate) fn zeroed(transactions: usize) -> Result<Details, NoMemory> {
        let Some(mut kept) = DETAILS.take(transactions) else {
            return memory::zeroed("outcomes", transactions).map(Details);
        };
        kept.clear();
        kept.resize(transactions, 0);
        Ok(Details(kept))
    }
}

impl Deref for Details {
    type Target = [u32];

    fn deref(&self) -> &[u32] {
        &self.0
    }
}

impl DerefMut for Details {
    fn deref_mut(&mut self) -> &mut [u32] {
        &mut self.0
    }
}

impl Clone for Details {
    fn clone(&self) -> Details {
        Details(self.0.clone())
    }
}

impl Drop for Details {
    fn drop(&mut self) {
        DETAILS.keep(&mut self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kept_lists_are_few_and_suit() {
        let kept = KeptLists::new();
        (0..2 * MOST).for_each(|_| kept.keep(&mut vec![1_u8; 2000]));
        kept.keep(&mut vec![2; 8000]);
        kept.keep(&mut vec![3; KEPT.start - 1]);
        assert_eq!(kept.take(2000).map(|list| list[0]), Some(2), "the newest that suits");
        assert_eq!(kept.take(2001), None);
        assert_eq!((0..2 * MOST).filter_map(|_| kept.take(1999)).count(), MOST - 1);
        drop(Details(vec![7; KEPT.start]));
        assert!(Details::zeroed(KEPT.start).unwrap().iter().all(|detail| *detail == 0));
    }
}
