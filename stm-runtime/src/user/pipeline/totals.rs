//! What a pipeline has done.

use crate::error::Error;
use crate::trace;
use crate::user::report::Report;

/// The sums of all batches that a [`Pipeline`](crate::Pipeline) has run. Every transaction that was taken is in one of the counts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Totals {
    /// Batches.
    pub batches: u64,
    /// Transactions.
    pub transactions: u64,
    /// Those whose effects are in the arrays.
    pub committed: u64,
    /// Those that gave up by `tx.reject`.
    pub rejected: u64,
    /// Those that did what Rust would panic on.
    pub faulted: u64,
    /// Those without a final outcome. They had no effect.
    pub unresolved: u64,
    /// Those of batches whose run failed. Some of them may have had their effects.
    pub failed: u64,
    /// The first error of a run.
    pub error: Option<Error>,
}

impl Totals {
    pub(super) fn add(&mut self, transactions: usize, end: &Result<Report, Error>) {
        self.batches += 1;
        self.transactions += transactions as u64;
        match end {
            Ok(report) => {
                self.committed += report.committed;
                self.rejected += report.rejected;
                self.faulted += report.faulted;
                self.unresolved += report.unresolved;
            }
            Err(error) => self.fail(transactions, error),
        }
    }

    /// Counts transactions that were taken and could not be put into a batch.
    pub(super) fn lose(&mut self, transactions: usize, error: &Error) {
        self.transactions += transactions as u64;
        self.fail(transactions, error);
    }

    /// Warns of runs that failed, and of transactions that are unresolved or have faulted. For a pipeline whose user never closed it, and
    /// so has not seen the totals.
    pub(super) fn tell(&self) {
        let Totals { failed, unresolved, faulted, error, .. } = self;
        if let Some(error) = error {
            trace::warning(&format!("a pipeline that was dropped could not run {failed} transactions: {error}"));
        }
        if unresolved + faulted > 0 {
            trace::warning(&format!(
                "a pipeline that was dropped left {unresolved} transactions unresolved, and {faulted} have faulted"
            ));
        }
    }

    fn fail(&mut self, transactions: usize, error: &Error) {
        self.failed += transactions as u64;
        self.error.get_or_insert_with(|| error.clone());
    }
}
