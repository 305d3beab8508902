//! Elements that many transactions access.

use std::fmt;

use crate::digits::grouped;

/// An element, and how often the transactions of a batch declared to access it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct HotElement {
    /// The number of its array in the batch, in the order in which calls first named the arrays. Each field of a record is an
    /// array of its own.
    pub array: usize,
    /// The parameter by which the first function that takes the array knows it, such as `accounts` or `accounts.balance`.
    pub parameter: &'static str,
    /// Where in the array it is.
    pub index: usize,
    /// Accesses. A transaction that accesses it at two places of its code counts twice.
    pub accesses: u64,
}

impl fmt::Display for HotElement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let HotElement { array, parameter, index, accesses } = self;
        write!(f, "{parameter}[{index}] (array {array}): {} accesses", grouped(*accesses))
    }
}
