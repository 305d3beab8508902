//! The hottest elements of a run, where the engine counts accesses.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use kernels_gen::device::Content;

use super::run::Run;
use crate::error::GpuError;
use crate::gpu::memory::array::GpuArray;
use crate::outcome::{HotElement, LISTED};

/// The sort key of an element: accesses, then earlier arrays and lower indices.
type Heat = (u64, Reverse<usize>, Reverse<usize>);

impl Run<'_, '_> {
    /// Stores the hottest elements for the report, if the engine counts accesses.
    pub(crate) fn collect_hottest(&mut self) -> Result<(), GpuError> {
        if !self.engine.counts_accesses() {
            return Ok(());
        }
        let job = self.run_state.job;
        let mut hottest: BinaryHeap<Reverse<Heat>> = BinaryHeap::with_capacity(LISTED + 1);
        let mut arrays: Vec<(usize, usize)> = job.arrays_in_batch.iter().copied().zip(0..).collect();
        arrays.sort_unstable();
        for (array, at) in arrays {
            for (index, accesses) in self.access_counts(at, job.arrays[at].store())?.into_iter().enumerate() {
                let is_hot = hottest.len() < LISTED || hottest.peek().is_some_and(|least| accesses > least.0.0);
                if accesses > 0 && is_hot {
                    hottest.push(Reverse((accesses, Reverse(array), Reverse(index))));
                    if hottest.len() > LISTED {
                        hottest.pop();
                    }
                }
            }
        }
        let element = |Reverse((accesses, Reverse(array), Reverse(index)))| HotElement {
            array,
            parameter: job.parameter_name(array),
            index,
            accesses,
        };
        self.run_state.output.hottest = Some(hottest.into_sorted_vec().into_iter().map(element).collect());
        Ok(())
    }

    /// Returns the count of each element; none where no transaction writes the array, so that the engine keeps nothing for it.
    fn access_counts(&self, at: usize, array: Option<&GpuArray>) -> Result<Vec<u64>, GpuError> {
        let counted = array.filter(|_| self.addresses[at].extra != 0);
        counted.map_or(Ok(Vec::new()), |array| array.content(self.terms, Content::AccessCounts))
    }
}
