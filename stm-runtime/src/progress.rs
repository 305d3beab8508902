//! The progress of a run, for progress bars, and the flags that end it early.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
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

/// The flags that end a run early.
#[derive(Debug, Clone, Default)]
pub(crate) struct StopFlags {
    /// That of the options.
    pub(crate) user: Option<Arc<AtomicBool>>,
    /// That of a run in the background.
    pub(crate) handle: Option<Arc<AtomicBool>>,
}

impl StopFlags {
    /// Returns whether there are flags.
    pub(crate) fn is_some(&self) -> bool {
        self.user.is_some() || self.handle.is_some()
    }

    /// Returns whether one is set.
    #[inline]
    pub(crate) fn is_set(&self) -> bool {
        [&self.user, &self.handle].into_iter().flatten().any(|flag| flag.load(Ordering::Relaxed))
    }
}
