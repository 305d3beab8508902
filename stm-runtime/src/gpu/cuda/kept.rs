//! Device memory that was freed and is kept for later allocations: every run needs memory of the same sizes, and the driver takes
//! long to give and to take back.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use cudarc::driver::sys::CUdeviceptr;

/// The smallest allocation.
const LEAST: usize = 512;
/// Allocations up to this size are powers of two.
const SMALL: usize = 64 << 10;
/// Allocations from this size on are a multiple of it, as the driver's own are.
const LARGE: usize = 2 << 20;

/// Returns the bytes to allocate for that many: few sizes, so that memory fits again.
pub(super) fn rounded(bytes: usize) -> usize {
    if bytes <= SMALL {
        bytes.next_power_of_two().max(LEAST)
    } else {
        bytes.checked_next_multiple_of(if bytes < LARGE { SMALL } else { LARGE }).unwrap_or(bytes)
    }
}

/// The kept memory, the oldest first.
#[derive(Debug)]
pub(super) struct KeptMemory {
    list: Mutex<VecDeque<(CUdeviceptr, usize)>>,
    /// The most bytes to keep.
    most: usize,
}

impl KeptMemory {
    pub(super) fn new(most: usize) -> KeptMemory {
        KeptMemory { list: Mutex::default(), most }
    }

    /// Takes memory of exactly that size.
    pub(super) fn take(&self, bytes: usize) -> Option<CUdeviceptr> {
        let mut list = self.lock();
        let at = list.iter().rposition(|(_, kept)| *kept == bytes)?;
        list.remove(at).map(|(address, _)| address)
    }

    /// Keeps memory. Returns what is too much, to be freed.
    pub(super) fn keep(&self, address: CUdeviceptr, bytes: usize) -> Vec<CUdeviceptr> {
        let mut list = self.lock();
        list.push_back((address, bytes));
        let mut all: usize = list.iter().map(|(_, bytes)| bytes).sum();
        let mut oldest = Vec::new();
        while all > self.most
            && let Some((address, bytes)) = list.pop_front()
        {
            all -= bytes;
            oldest.push(address);
        }
        oldest
    }

    /// Takes all memory, to be freed.
    pub(super) fn take_all(&self) -> Vec<CUdeviceptr> {
        self.lock().drain(..).map(|(address, _)| address).collect()
    }

    /// Returns the bytes that are kept.
    pub(super) fn bytes(&self) -> usize {
        self.lock().iter().map(|(_, bytes)| bytes).sum()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, VecDeque<(CUdeviceptr, usize)>> {
        self.list.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_few_and_large_enough() {
        assert_eq!([0, 1, 513, SMALL - 1].map(rounded), [LEAST, LEAST, 1024, SMALL]);
        assert_eq!([SMALL + 1, LARGE - 1, LARGE, LARGE + 1].map(rounded), [2 * SMALL, LARGE, LARGE, 2 * LARGE]);
        assert_eq!(rounded(usize::MAX), usize::MAX);
    }

    #[test]
    fn memory_is_taken_again_by_its_size_and_the_oldest_is_given_up() {
        let kept = KeptMemory::new(1000);
        assert_eq!((kept.take(400), kept.keep(1, 400), kept.keep(2, 400)), (None, vec![], vec![]));
        assert_eq!((kept.take(300), kept.take(400), kept.bytes()), (None, Some(2), 400));
        assert_eq!((kept.keep(3, 500), kept.keep(4, 400)), (vec![], vec![1]));
        assert_eq!((kept.keep(5, 1001), kept.bytes()), (vec![3, 4, 5], 0));
        assert_eq!((kept.keep(6, 1000), kept.take_all(), kept.take(1000)), (vec![], vec![6], None));
    }
}
