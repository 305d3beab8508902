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
const MOST: usize = 256;

/// An access of a transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Touched {
    /// The array of the run.
    pub(crate) array: u32,
    pub(crate) index: u64,
    pub(crate) location: u32,
    /// Whether it is a write.
    pub(crate) writes: bool,
}

/// Collects and touches elements.
#[derive(Debug)]
pub struct Prefetcher<'a> {
    views: Vec<View<'a>>,
    /// The elements to be touched.
    collected: Vec<Touched>,
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

    /// Collects an access. `is_whole` says that it is that of the last component. After the last element the function ends.
    #[inline]
    pub(crate) fn collect(&mut self, touched: Touched, is_whole: bool) -> Result<u64, Abort> {
        let Touched { array, index, location, .. } = touched;
        // The components of a record come one after the other.
        let is_known =
            self.collected.last().is_some_and(|last| last.index == index && self.are_near(last.array, array));
        if !is_known && self.collected.len() < MOST {
            self.collected.push(touched);
        }
        if is_whole && location == self.last { Err(Abort::HALTED) } else { Ok(0) }
    }

    /// Takes what was collected.
    pub(crate) fn take(&mut self) -> impl Iterator<Item = Touched> {
        self.collected.drain(..)
    }

    /// Loads the cache lines of all elements collected. The values are not used, so nothing waits for them.
    #[inline]
    pub(crate) fn touch(&mut self) {
        for Touched { array, index, .. } in self.collected.drain(..) {
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
