//! Device memory that was freed and is kept for later allocations: every run needs memory of the same sizes, and the driver takes
//! long to give and to take back. Some of it has the columns of a batch, and is kept for the next run of that batch.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use cudarc::driver::sys::CUdeviceptr;

use crate::backend::Content;

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

/// What a batch has in memory of that many bytes.
type Held = (Content, usize);

#[derive(Debug)]
struct Kept {
    address: CUdeviceptr,
    bytes: usize,
    held: Option<Held>,
}

/// The kept memory, the oldest first.
#[derive(Debug)]
pub(super) struct KeptMemory {
    list: Mutex<VecDeque<Kept>>,
    /// The most bytes to keep.
    most: usize,
}

impl KeptMemory {
    pub(super) fn new(most: usize) -> KeptMemory {
        KeptMemory { list: Mutex::default(), most }
    }

    /// Takes memory of exactly that size which nobody will ask for.
    pub(super) fn take(&self, bytes: usize) -> Option<CUdeviceptr> {
        let mut list = self.lock();
        let at = list.iter().rposition(|kept| kept.bytes == bytes && kept.held.is_none())?;
        list.remove(at).map(|kept| kept.address)
    }

    /// Takes the memory that has this of a batch. What else is kept of the batch was from before it grew.
    pub(super) fn find(&self, held: Held) -> Option<CUdeviceptr> {
        let mut list = self.lock();
        let found = list.iter().rposition(|kept| kept.held == Some(held)).and_then(|at| list.remove(at));
        forget(&mut list, held.0.batch);
        found.map(|kept| kept.address)
    }

    /// Keeps what is there of a batch for anybody.
    pub(super) fn forget(&self, batch: u64) {
        forget(&mut self.lock(), batch);
    }

    /// Keeps memory. Returns what is too much, to be freed.
    pub(super) fn keep(&self, address: CUdeviceptr, bytes: usize, held: Option<Held>) -> Vec<CUdeviceptr> {
        let mut list = self.lock();
        list.push_back(Kept { address, bytes, held });
        let mut all: usize = list.iter().map(|kept| kept.bytes).sum();
        let mut oldest = Vec::new();
        while all > self.most
            && let Some(kept) = list.pop_front()
        {
            all -= kept.bytes;
            oldest.push(kept.address);
        }
        oldest
    }

    /// Takes all memory, to be freed.
    pub(super) fn take_all(&self) -> Vec<CUdeviceptr> {
        self.lock().drain(..).map(|kept| kept.address).collect()
    }

    /// Returns the bytes that are kept.
    pub(super) fn bytes(&self) -> usize {
        self.lock().iter().map(|kept| kept.bytes).sum()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, VecDeque<Kept>> {
        self.list.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn forget(list: &mut VecDeque<Kept>, batch: u64) {
    let of_batch = list.iter_mut().filter(|kept| kept.held.is_some_and(|(content, _)| content.batch == batch));
    of_batch.for_each(|kept| kept.held = None);
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
        assert_eq!((kept.take(400), kept.keep(1, 400, None), kept.keep(2, 400, None)), (None, vec![], vec![]));
        assert_eq!((kept.take(300), kept.take(400), kept.bytes()), (None, Some(2), 400));
        assert_eq!((kept.keep(3, 500, None), kept.keep(4, 400, None)), (vec![], vec![1]));
        assert_eq!((kept.keep(5, 1001, None), kept.bytes()), (vec![3, 4, 5], 0));
        assert_eq!((kept.keep(6, 1000, None), kept.take_all(), kept.take(1000)), (vec![], vec![6], None));
    }

    #[test]
    fn what_a_batch_has_is_kept_for_it_until_it_ends_or_grows() {
        let kept = KeptMemory::new(10_000);
        let content = |batch, transactions| Content { batch, transactions, specializations: 1 };
        [(1, 5), (2, 5), (3, 5)].iter().enumerate().for_each(|(at, (batch, transactions))| {
            kept.keep(at as u64, 512, Some((content(*batch, *transactions), 500)));
        });
        assert_eq!(
            (kept.take(512), kept.find((content(1, 5), 499)), kept.take(512)),
            (None, None, Some(0)),
            "of other bytes"
        );
        assert_eq!((kept.find((content(2, 5), 500)), kept.find((content(2, 5), 500))), (Some(1), None));
        kept.forget(3);
        assert_eq!((kept.find((content(3, 5), 500)), kept.take(512)), (None, Some(2)));
    }
}
