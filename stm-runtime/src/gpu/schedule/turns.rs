//! The turns of all transactions in push order, by the stages before the execution.

use super::run::Run;
use crate::backend::Order;
use crate::error::GpuError;
use crate::gpu::backend::HostUse;
use crate::gpu::memory::transactions::Transactions;

/// The most rounds on the device after the first: each takes a launch, whatever few transactions it is for.
const MOST_ROUNDS: usize = 16;
/// The same where nothing is measured.
const SOME_ROUNDS: usize = 2;

impl Run<'_, '_> {
    /// Gives the transactions of the batch from `first` on their first turns, chunk after chunk. Returns where it ended: those from there
    /// on are as they were. That is before the end if the run has to end, if it turns out that some cannot run in turn, or if it is slow.
    pub(crate) fn take_turns(&mut self, mut first: usize) -> Result<usize, GpuError> {
        let (all, step) = (self.run_state.job.transactions, self.capacity());
        while first < all {
            let end = all.min(first + step);
            first += self.chunk_takes_turns(&Transactions::Range(first..end))?;
            if self.must_end() || first < end {
                break;
            }
        }
        Ok(first)
    }

    /// Gives those that wait their turns again, round by round, while some commit. Returns true after a round that committed nothing. After
    /// a number of rounds there may be a chain of many: the host attempts only those whose elements have changed.
    pub(crate) fn take_more_turns(&mut self) -> Result<bool, GpuError> {
        let is_measured = self.request.limits.host == HostUse::Predicted;
        let rounds = if is_measured { MOST_ROUNDS } else { SOME_ROUNDS };
        self.exit.floor = 0.0;
        for _ in 0..rounds {
            let waiting = self.run_state.pending()?;
            if waiting.is_empty() || self.run_state.job.options.pass_limit.is_some() {
                return Ok(false);
            }
            let (before, finished) = (self.run_state.committed, self.run_state.finished);
            self.run_state.output.passes += 1;
            for chunk in waiting.chunks(self.capacity()) {
                let visited = self.chunk_takes_turns(&Transactions::Picked(chunk))?;
                if self.must_end() || visited < chunk.len() {
                    return Ok(false);
                }
            }
            if self.run_state.job.options.order == Order::Any {
                let waits = waiting.len() as u64 - (self.run_state.finished - finished);
                self.run_state.output.postponements += waits;
            }
            if self.run_state.committed == before {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Returns whether the run has to end, and notes why.
    fn must_end(&mut self) -> bool {
        let why = self.run_state.must_end();
        self.run_state.output.unresolved_reason = why.unwrap_or(self.run_state.output.unresolved_reason);
        why.is_some()
    }
}
