//! The outcome columns while threads fill them: each transaction is written by the one thread that runs it.

use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};

use super::POSTPONED;
use super::kept::Details;
use super::output::RunOutput;
use crate::memory::{self, NoMemory};

/// Status and result of every transaction. All accesses are relaxed: joining the threads publishes them, and a transaction moves to
/// another thread through a lock.
#[derive(Debug)]
pub(crate) struct AtomicOutcomes {
    status: Vec<AtomicU8>,
    /// Component by component.
    results: Vec<AtomicU64>,
}

impl AtomicOutcomes {
    /// Returns the columns of unfinished transactions; `results` is the words of results of each transaction.
    pub(crate) fn new(transactions: usize, results: usize) -> Result<AtomicOutcomes, NoMemory> {
        let words = results.saturating_mul(transactions);
        Ok(AtomicOutcomes {
            status: memory::zeroed("outcomes", transactions)?,
            results: memory::zeroed("results", words)?,
        })
    }

    /// Returns the statuses.
    #[inline]
    pub(crate) fn status(&self) -> &[AtomicU8] {
        &self.status
    }

    /// Stores the status of a transaction.
    #[inline]
    pub(crate) fn set_status(&self, transaction: usize, status: u8) {
        self.status[transaction].store(status, Ordering::Relaxed);
    }

    /// Returns whether a transaction has that status.
    #[inline]
    pub(crate) fn is(&self, transaction: usize, status: u8) -> bool {
        self.status[transaction].load(Ordering::Relaxed) == status
    }

    /// Stores that a transaction waits. Checks first: it is often stored already, and other threads may use the cache line.
    #[inline]
    pub(crate) fn set_postponed(&self, transaction: usize) {
        if self.status[transaction].load(Ordering::Relaxed) != POSTPONED {
            self.set_status(transaction, POSTPONED);
        }
    }

    /// Stores a component of a result, which has that many.
    #[inline]
    pub(crate) fn put(&self, transaction: usize, component: usize, _components: usize, word: u64) {
        let at = mutant!(
            "cpu: components of a result lie side by side",
            component * self.status.len() + transaction,
            transaction * _components + component
        );
        if let Some(slot) = self.results.get(at) {
            slot.store(word, Ordering::Relaxed);
        }
    }

    /// Moves the columns into the output; `details` are those of rejected and faulted transactions.
    pub(crate) fn into_output(self, details: &[(usize, u32)], output: &mut RunOutput) -> Result<(), NoMemory> {
        // The types have the same size and alignment, so each vector is converted in place.
        output.status = self.status.into_iter().map(AtomicU8::into_inner).collect::<Vec<u8>>().into();
        output.results = self.results.into_iter().map(AtomicU64::into_inner).collect();
        if !details.is_empty() {
            output.detail = Details::zeroed(output.status.len())?;
            for (transaction, detail) in &details[mutant!("cpu: the first reason is lost", 0, 1)..] {
                output.detail[*transaction] = *detail;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outcome::COMMITTED;

    #[test]
    fn columns_move_without_a_copy() {
        let outcomes = AtomicOutcomes::new(1000, 2).unwrap();
        outcomes.put(7, 0, 2, 1);
        outcomes.put(7, 1, 2, 2);
        outcomes.set_status(7, COMMITTED);
        let (status, results) = (outcomes.status.as_ptr().addr(), outcomes.results.as_ptr().addr());
        let mut output = RunOutput::default();
        outcomes.into_output(&[], &mut output).unwrap();
        assert_eq!((output.status.as_ptr().addr(), output.results.as_ptr().addr()), (status, results));
        assert_eq!((output.status[7], output.results[7], output.results[1007]), (COMMITTED, 1, 2));
    }
}
