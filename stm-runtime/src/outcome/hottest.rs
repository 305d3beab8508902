//! Elements that many transactions access.

use std::fmt;

use crate::digits::grouped;

/// An element, and how often the transactions of a batch declared to access it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct HotElement {
    /// The number of its array in the batch, in the order in which calls first named the arrays. Each field of a record has
    /// its own array.
    pub array: usize,
    /// The parameter name of the array in the first function that takes it, such as `accounts` or `accounts.balance`.
    pub parameter: &'static str,
    /// The index in the array.
    pub index: usize,
    /// The number of accesses. A transaction that accesses the element at two source locations counts twice.
    pub accesses: u64,
}

impl fmt::Display for HotElement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let HotElement { array, parameter, index, accesses } = self;
        write!(f, "{parameter}[{index}] (array {array}): {} accesses", grouped(*accesses))
    }
}
