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

use crate::error::Error;
use crate::job::{Job, RunOutput};
use crate::memory::NoMemory;

/// Why a proof ends early.
#[derive(Debug)]
enum Objection {
    /// The run is not as it should be.
    Violated(Box<Violation>),
    /// It cannot be judged.
    Failed(Error),
}

impl From<Violation> for Objection {
    fn from(violation: Violation) -> Objection {
        Objection::Violated(Box::new(violation))
    }
}

impl From<NoMemory> for Objection {
    fn from(short: NoMemory) -> Objection {
        Objection::Failed(short.into())
    }
}

/// Judges a run. `initial` and `last` are the words of each array of the job before and after it.
pub(crate) fn judge(
    job: &Job<'_>,
    output: &RunOutput,
    history: &History,
    initial: Vec<Vec<u64>>,
    last: &[Vec<u64>],
) -> Result<Proof, Error> {
    let verdict = check::completeness(job, output, history)
        .and_then(|()| graph::order(job, history))
        .and_then(|order| replay::replay(job, output, history, &order, initial, last));
    let violation = match verdict {
        Ok(()) => None,
        Err(Objection::Violated(violation)) => Some(*violation),
        Err(Objection::Failed(error)) => return Err(error),
    };
    Ok(Proof::new(history.len() as u64, violation))
}
