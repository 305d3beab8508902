//! The first turns of all transactions in push order, by the stages before the execution.

use super::run::Run;
use crate::error::GpuError;

impl Run<'_, '_> {
    /// Gives the transactions of the batch their first turns, chunk after chunk. Returns how many had them: those after that many are as
    /// they were. They are fewer than all if the run has to end, or if it turns out that some cannot run in turn.
    pub(crate) fn take_turns(&mut self) -> Result<usize, GpuError> {
        let (all, step) = (self.run_state.job.transactions, self.capacity());
        for first in (0..all).step_by(step) {
            let chunk = first..all.min(first + step);
            if !self.chunk_takes_turns(chunk)? {
                return Ok(first);
            }
            if let Some(why) = self.run_state.must_end() {
                self.run_state.output.unresolved_reason = why;
                return Ok(first);
            }
        }
        Ok(all)
    }
}
