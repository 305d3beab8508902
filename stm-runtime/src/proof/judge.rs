//! The proof of a run, step by step.

use super::objection::Objection;
use super::verdict::Proof;
use super::{check, graph, pushed, replay};
use crate::backend::{Job, Order};
use crate::error::Error;
use crate::outcome::{History, RunOutput};

/// Checks a run: that its outcome is that of some one-at-a-time order, or of push order if that was asked for. `initial` and `last` are the words of each array of the job before and after it.
pub(crate) fn judge(
    job: &Job<'_>,
    output: &RunOutput,
    history: &History,
    initial: Vec<Vec<u64>>,
    last: &[Vec<u64>],
) -> Result<Proof, Error> {
    let verdict =
        check::completeness(job, output, history).and_then(|()| graph::order(job, history)).and_then(|order| match job
            .options
            .order
        {
            Order::Any => replay::replay(job, output, history, &order, initial, last),
            Order::Pushed => pushed::replay(job, output, initial, last),
        });
    let violation = match verdict {
        Ok(()) => None,
        Err(Objection::Violated(violation)) => Some(*violation),
        Err(Objection::Failed(error)) => return Err(error),
    };
    Ok(Proof::new(history.len() as u64, violation))
}
