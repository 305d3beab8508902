//! Touches the elements of transactions before they run, so that their reads find them in the cache.
//!
//! The functions of several transactions first collect the elements. Then one short loop loads all of them: a core overlaps only as
//! many loads as fit into its window of some hundred instructions.

use kernels_gen::spec::ProcedureSpec;

use super::abort::Abort;
use super::lock::CpuArray;

/// No access, so that the prefetch runs to the end of the function.
const NOWHERE: u32 = u32::MAX;

/// The most elements that are collected. Those beyond are not prefetched.
const MOST: usize = 64;

/// Collects and touches elements.
#[derive(Debug)]
pub struct Prefetcher<'a> {
    arrays: Vec<&'a CpuArray>,
    /// The elements to be touched.
    collected: Vec<(&'a CpuArray, u64)>,
    /// The location at which the function first touches its last element.
    last: u32,
}

impl<'a> Prefetcher<'a> {
    pub(crate) fn new(arrays: Vec<&'a CpuArray>) -> Prefetcher<'a> {
        Prefetcher { arrays, collected: Vec::with_capacity(MOST), last: NOWHERE }
    }

    /// Prepares for the function of a procedure.
    #[inline]
    pub(crate) fn begin(&mut self, procedure: &'static ProcedureSpec) {
        self.last = procedure.facts.slots.last().map_or(NOWHERE, |slot| slot.location);
    }

    /// Collects an element. `is_whole` says that it is the last component of an access. After the last element the function ends.
    #[inline]
    pub(crate) fn collect(&mut self, array: u32, index: u64, location: u32, is_whole: bool) -> Result<u64, Abort> {
        if let (Some(array), true) = (self.arrays.get(array as usize), self.collected.len() < MOST) {
            self.collected.push((array, index));
        }
        if is_whole && location == self.last { Err(Abort::HALTED) } else { Ok(0) }
    }

    /// Loads the cache lines of all elements collected. The values are not used, so nothing waits for them.
    #[inline]
    pub(crate) fn touch(&mut self) {
        for (array, index) in self.collected.drain(..) {
            array.touch(index);
        }
    }
}
