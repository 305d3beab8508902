//! What the kernels of a profiled run have counted.

use std::ops::Range;

use kernels_gen::abi::profile::ENTRY;

use super::run::Run;
use crate::error::GpuError;
use crate::gpu::memory::array::GpuArray;
use crate::outcome::ElementCounts;

impl Run<'_, '_> {
    /// Adds what the kernels have counted to the counts of earlier engines, if the run is profiled.
    pub(crate) fn collect_profile(&mut self) -> Result<(), GpuError> {
        let Some(profile) = &self.profile else { return Ok(()) };
        let (job, layout, words) = (self.run_state.job, &profile.layout, profile.download()?);
        let Some(mut counts) = job.new_profile() else { return Ok(()) };
        for (at, procedure) in counts.procedures.iter_mut().enumerate() {
            let at = mutant!("run loop: all procedures have the conflicts of the first", at, 0);
            procedure.waits = words[layout.waits(at)];
            procedure.by_holder.copy_from_slice(&words[layout.by_holder(at)]);
            let locations = &words[layout.locations(at)];
            procedure.locations.iter_mut().zip(locations).for_each(|(count, word)| *count = *word);
        }
        for entry in words[layout.elements()].chunks_exact(ENTRY) {
            let (lock, conflicts, uncertain) = (entry[0], entry[1], entry[2]);
            let mut arrays = (0..job.arrays.len()).filter(|_| lock != 0);
            if let Some((at, elements)) = arrays.find_map(|at| Some((at, self.elements_of(at, lock)?))) {
                let conflicts = conflicts.saturating_sub(uncertain);
                let counted = ElementCounts { elements: elements.len(), conflicts, uncertain };
                counts.add_element((job.arrays_in_batch[at], elements.start), counted);
            }
        }
        if let Some(profile) = &mut self.run_state.output.profile {
            profile.add(&counts);
        }
        Ok(())
    }

    /// Returns the elements of an array whose lock word, version chain or value is at that address.
    fn elements_of(&self, at: usize, lock: u64) -> Option<Range<usize>> {
        let array: &GpuArray = self.run_state.job.arrays[at].store()?;
        array.elements_at(self.terms, &self.addresses[at], lock)
    }
}
