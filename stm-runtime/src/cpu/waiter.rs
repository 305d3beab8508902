//! A transaction that waits for its guard.

/// The purpose of the memory of queues, for errors.
pub(crate) const WHAT: &str = "transactions that wait for their guards";

/// A transaction to be attempted, and the number of its earlier executions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Waiter {
    pub(crate) transaction: usize,
    pub(crate) visits: u32,
}
