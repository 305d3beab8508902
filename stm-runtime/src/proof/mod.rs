//! The proof that a run's outcome is that of some one-at-a-time order.
//!
//! It trusts no engine: the recorded versions must fit together, the order that they imply must have no cycle, and running
//! the transactions in that order, one at a time, must give the same outcomes, results and final words.

mod check;
mod graph;
mod history;
mod replay;
#[cfg(all(any(test, feature = "mutation"), not(loom)))]
pub(crate) mod tests;
mod verdict;

pub(crate) use history::{Entry, History};
pub use verdict::{Dependency, Place, Proof, Step, Violation};

use crate::job::{Job, RunOutput};

/// Judges a run. `initial` and `last` are the words of each region of the job before and after it.
pub(crate) fn judge(
    job: &Job<'_>,
    output: &RunOutput,
    history: &History,
    initial: Vec<Vec<u64>>,
    last: &[Vec<u64>],
) -> Proof {
    let verdict = check::completeness(job, output, history)
        .and_then(|()| graph::order(job, history))
        .and_then(|order| replay::replay(job, output, history, &order, initial, last));
    Proof::new(history.len() as u64, verdict.err())
}
