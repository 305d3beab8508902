//! The progress of a run, for progress bars.

use std::time::Duration;

/// The state of a run in progress.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// Transactions with a final outcome so far.
    pub finished: u64,
    /// All transactions of the batch.
    pub transactions: u64,
    /// Time since the run began.
    pub elapsed: Duration,
}
