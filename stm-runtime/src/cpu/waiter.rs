//! A transaction that waits for its guard.

/// What memory for queues is called in errors.
pub(crate) const WHAT: &str = "transactions that wait for their guards";

/// A transaction that is to be attempted, and how often it was taken up before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Waiter {
    pub(crate) transaction: usize,
    pub(crate) visits: u32,
}
