//! The proof of a run, step by step.

use super::objection::Objection;
use super::verdict::Proof;
use super::{check, graph, pushed, replay};
use crate::backend::Job;
use crate::error::Error;
use crate::outcome::{History, RunOutput};

/// Checks that the outcome of a run is that of some one-at-a-time order. `initial` and `last` are the words of each array of the job
/// before and after it.
pub(crate) fn judge(
    job: &Job<'_>,
    output: &RunOutput,
    history: &History,
    initial: Vec<Vec<u64>>,
    last: &[Vec<u64>],
) -> Result<Proof, Error> {
    span!("check");
    let verdict = check::completeness(job, output, history)
        .and_then(|()| graph::order(job, history))
        .and_then(|order| replay::replay(job, output, history, &order, initial, last).map(|()| order));
    let transaction =
        |at: u32| mutant!("proof: the order has places of the history", history.transaction(at as usize) as u32, at);
    proof_of(history.len(), verdict.map(|order| order.into_iter().map(transaction).collect()))
}

/// Checks that the outcome of a run is that of push order. Otherwise like `judge`.
pub(crate) fn judge_pushed(
    job: &Job<'_>,
    output: &RunOutput,
    initial: Vec<Vec<u64>>,
    last: &[Vec<u64>],
) -> Result<Proof, Error> {
    span!("check");
    let finished = output.status.iter().filter(|status| check::is_final(**status)).count();
    proof_of(finished, pushed::replay(job, output, initial, last))
}

/// Returns the proof with the order that was found, or the violation.
fn proof_of(transactions: usize, verdict: Result<Vec<u32>, Objection>) -> Result<Proof, Error> {
    let (order, violation) = match verdict {
        Ok(order) => (order, None),
        Err(Objection::Violated(violation)) => (Vec::new(), Some(*violation)),
        Err(Objection::Failed(error)) => return Err(error),
    };
    Ok(Proof::new(transactions as u64, order, violation))
}
