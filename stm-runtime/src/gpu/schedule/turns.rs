//! The first turns of all transactions in push order, by the stages before the execution.

use std::ops::Range;
use std::time::Instant;

use super::run::Run;
use crate::error::GpuError;
use crate::gpu::memory::partitions::Groups;
use crate::gpu::memory::transactions::Transactions;

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

    /// Returns false, and has no effect, if some transactions of the chunk cannot run in turn.
    fn chunk_takes_turns(&mut self, chunk: Range<usize>) -> Result<bool, GpuError> {
        let (transactions, begin) = (Transactions::Range(chunk), Instant::now());
        self.upload(&transactions)?;
        self.run_state.output.times.upload += begin.elapsed();

        let (begin, kernel) = (Instant::now(), self.kernel);
        self.buffers.zero_counters()?;
        let on_device = (transactions.len() as u64, Groups::default());
        let are_in_turn = self.start_visits(on_device)?;
        let counts = self.visited()?;
        self.run_state.output.times.launch += begin.elapsed().saturating_sub(self.kernel - kernel);
        if !are_in_turn {
            return Ok(false);
        }
        self.run_state.add(&counts, 1);
        self.download(&transactions, counts.details() > 0)?;
        Ok(true)
    }
}
