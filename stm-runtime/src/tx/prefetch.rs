//! Touches the elements of transactions before they run, so that their reads find them in the cache.
//!
//! The functions of several transactions first collect the elements. Then one short loop loads all of them: a core overlaps only as
//! many loads as fit into its window of some hundred instructions.

use kernels_gen::spec::ProcedureSpec;

use super::abort::Abort;
use super::table::View;

/// No access, so that the prefetch runs to the end of the function.
const NOWHERE: u32 = u32::MAX;

/// The most elements that are collected. Those beyond are not prefetched.
const MOST: usize = 64;

/// Collects and touches elements.
#[derive(Debug)]
pub struct Prefetcher<'a> {
    views: Vec<View<'a>>,
    /// The elements to be touched.
    collected: Vec<(u32, u64)>,
    /// The location at which the function first touches its last element.
    last: u32,
}

impl<'a> Prefetcher<'a> {
    pub(crate) fn new(views: Vec<View<'a>>) -> Prefetcher<'a> {
        Prefetcher { views, collected: Vec::with_capacity(MOST), last: NOWHERE }
    }

    /// Prepares for the function of a procedure.
    #[inline]
    pub(crate) fn begin(&mut self, procedure: &'static ProcedureSpec) {
        self.last = procedure.facts.slots.last().map_or(NOWHERE, |slot| slot.location);
    }

    /// Collects an element. `is_whole` says that it is the last component of an access. After the last element the function ends.
    #[inline]
    pub(crate) fn collect(&mut self, array: u32, index: u64, location: u32, is_whole: bool) -> Result<u64, Abort> {
        // The components of a record come one after the other.
        let is_known = self.collected.last().is_some_and(|(last, at)| *at == index && self.are_near(*last, array));
        if !is_known && self.collected.len() < MOST {
            self.collected.push((array, index));
        }
        if is_whole && location == self.last { Err(Abort::HALTED) } else { Ok(0) }
    }

    /// Takes the elements collected: arrays of the run, and indices.
    pub(crate) fn take(&mut self) -> impl Iterator<Item = (u32, u64)> {
        self.collected.drain(..)
    }

    /// Loads the cache lines of all elements collected. The values are not used, so nothing waits for them.
    #[inline]
    pub(crate) fn touch(&mut self) {
        for (array, index) in self.collected.drain(..) {
            if let Some(view) = self.views.get(array as usize) {
                view.touch(index);
            }
        }
    }

    fn are_near(&self, one: u32, other: u32) -> bool {
        let views = self.views.get(one as usize).zip(self.views.get(other as usize));
        views.is_some_and(|(one, other)| one.is_near(other))
    }
}
