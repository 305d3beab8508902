//! Touches the elements of a transaction before it runs, so that its reads find them in the cache.

use kernels_gen::spec::ProcedureSpec;

use super::abort::Abort;
use super::lock::CpuArray;
use crate::sync::Ordering;

/// No access, so that the prefetch runs to the end of the function.
const NOWHERE: u32 = u32::MAX;

/// Touches elements.
#[derive(Debug)]
pub(crate) struct Prefetcher<'a> {
    arrays: Vec<&'a CpuArray>,
    /// The location at which the function first touches its last element.
    last: u32,
}

impl<'a> Prefetcher<'a> {
    pub(crate) fn new(arrays: Vec<&'a CpuArray>) -> Prefetcher<'a> {
        Prefetcher { arrays, last: NOWHERE }
    }

    /// Prepares for the function of a procedure.
    #[inline]
    pub(crate) fn begin(&mut self, procedure: &'static ProcedureSpec) {
        self.last = procedure.facts.slots.last().map_or(NOWHERE, |slot| slot.location);
    }

    /// Loads the element's cache line. The value is not used, so nothing waits for it. `is_whole` says that it is the last
    /// component of an access. After the last element the function ends.
    #[inline]
    pub(crate) fn touch(&mut self, array: u32, index: u64, location: u32, is_whole: bool) -> Result<u64, Abort> {
        if let Some(place) = self.arrays.get(array as usize).and_then(|array| array.at(index)) {
            let _ = place.lock.load(Ordering::Relaxed);
            if !place.is_one_line() {
                let _ = place.value.load(Ordering::Relaxed);
            }
        }
        if is_whole && location == self.last { Err(Abort::HALTED) } else { Ok(0) }
    }
}
