//! Elements that many transactions access.

use std::fmt;

use crate::job::Job;
use crate::report::text::grouped;

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

/// Transactions whose addresses are not known from their arguments.
pub(super) fn uncounted(job: &Job<'_>) -> u64 {
    let is_counted: Vec<bool> = job
        .specializations
        .iter()
        .map(|specialization| job.procedures[specialization.procedure].spec.facts.orderable)
        .collect();
    match job.specialization_ids {
        None if is_counted.first() == Some(&true) => 0,
        None => job.transactions as u64,
        Some(ids) => ids.iter().filter(|id| !is_counted[usize::from(**id)]).count() as u64,
    }
}
