//! Runs a history's transactions one at a time, in the computed order, and compares everything with the run.

use super::objection::Objection;
use super::same::is_same;
use super::verdict::Violation;
use crate::backend::{Job, Resolved};
use crate::memory::NoMemory;
use crate::outcome::{COMMITTED, FAULTED, History, REJECTED, RunOutput, UnresolvedReason};
use crate::reference::{ReferenceExecutor, TransactionEnd};
use crate::stack::with_stack;

pub(super) fn replay(
    job: &Job<'_>,
    output: &RunOutput,
    history: &History,
    order: &[u32],
    initial: Vec<Vec<u64>>,
    last: &[Vec<u64>],
) -> Result<(), Objection> {
    with_stack(job, || in_order(job, output, history, order, initial, last)).map_err(Objection::Failed)?
}

fn in_order(
    job: &Job<'_>,
    output: &RunOutput,
    history: &History,
    order: &[u32],
    initial: Vec<Vec<u64>>,
    last: &[Vec<u64>],
) -> Result<(), Objection> {
    let mut replay = Replay::new(job, output, initial)?;
    for i in order {
        let transaction = history.transaction(*i as usize);
        let replayed = replay.run(transaction)?;
        replay.compare(transaction, replayed)?;
    }
    replay.same_values(last)?;
    if mutant!(
        "proof: a guard may hold at the end",
        output.unresolved_reason == UnresolvedReason::GuardNeverHeld,
        false
    ) {
        replay.guards_are_false()?;
    }
    Ok(())
}

/// A run that is repeated on the reference executor.
pub(super) struct Replay<'r, 'a> {
    pub(super) job: &'r Job<'a>,
    pub(super) output: &'r RunOutput,
    pub(super) executor: ReferenceExecutor<'r>,
    specializations: Vec<Resolved<'a>>,
}

impl<'r, 'a> Replay<'r, 'a> {
    pub(super) fn new(job: &'r Job<'a>, output: &'r RunOutput, initial: Vec<Vec<u64>>) -> Result<Self, Objection> {
        let executor = ReferenceExecutor::new(initial, job.results, None);
        let specializations = job.resolve().map_err(Objection::Failed)?;
        Ok(Replay { job, output, executor, specializations })
    }

    /// Runs a transaction.
    pub(super) fn run(&mut self, transaction: usize) -> Result<TransactionEnd, NoMemory> {
        self.executor.run(&self.specializations[self.job.specialization_of(transaction)], transaction)
    }

    /// Compares the end of the transaction that was run last with what the run says.
    pub(super) fn compare(&self, transaction: usize, replayed: TransactionEnd) -> Result<(), Violation> {
        let Replay { job, output, executor, .. } = self;
        let recorded = recorded(output, transaction);
        let results = results(job, output, transaction);
        let compared = mutant!(
            "proof: the last component of a result is not compared",
            job.results,
            job.results.saturating_sub(1)
        );
        // Beyond the components that the procedure returns there is no type, and both words are 0.
        let types = &self.specializations[job.specialization_of(transaction)].spec.result;
        let same_result = replayed != TransactionEnd::Committed
            || (0..compared).all(|at| is_same(types.get(at).copied(), executor.result()[at], results[at]));
        let same_outcome = mutant!("proof: outcomes are not compared", replayed == recorded, true);
        if same_outcome && mutant!("proof: results are not compared", same_result, true) {
            return Ok(());
        }
        let recorded = words(job, transaction, recorded, &results);
        let replayed = words(job, transaction, replayed, executor.result());
        Err(Violation::OtherOutcome { transaction, recorded, replayed })
    }

    /// Compares the elements with those that the run left.
    pub(super) fn same_values(&self, recorded: &[Vec<u64>]) -> Result<(), Violation> {
        let replayed = self.executor.memory();
        let arrays = mutant!("proof: only the first array is compared", replayed.len(), 1);
        for (array, (replayed, recorded)) in replayed.iter().zip(recorded).enumerate().take(arrays) {
            let len = mutant!(
                "proof: the last element of each array is not compared",
                replayed.len(),
                replayed.len().saturating_sub(1)
            );
            let scalar = self.job.arrays[array].scalar();
            let is_other =
                |at: &usize| !recorded.get(*at).is_some_and(|found| is_same(Some(scalar), *found, replayed[*at]));
            if let Some(index) = (0..len).find(is_other) {
                let recorded = recorded.get(index).copied().unwrap_or(0);
                let array = self.job.arrays_in_batch[array];
                return Err(Violation::OtherValue { array, index, recorded, replayed: replayed[index] });
            }
        }
        Ok(())
    }

    /// Checks that every transaction that was given up for its guard would still be postponed.
    fn guards_are_false(&mut self) -> Result<(), Objection> {
        let is_left = |at: &usize| !(COMMITTED..=FAULTED).contains(&self.output.status[*at]);
        for transaction in (0..self.job.transactions).filter(is_left) {
            if self.run(transaction)? != TransactionEnd::Postponed {
                return Err(Violation::GuardHolds { transaction }.into());
            }
        }
        Ok(())
    }
}

pub(super) fn recorded(output: &RunOutput, transaction: usize) -> TransactionEnd {
    let detail = output.detail.get(transaction).copied().unwrap_or(0);
    match output.status[transaction] {
        COMMITTED => TransactionEnd::Committed,
        REJECTED => TransactionEnd::Rejected(detail),
        FAULTED => TransactionEnd::Faulted(detail),
        _ => TransactionEnd::Postponed,
    }
}

/// Returns the words of a transaction's result.
fn results(job: &Job<'_>, output: &RunOutput, transaction: usize) -> Vec<u64> {
    (0..job.results)
        .map(|component| output.results.get(component * job.transactions + transaction).copied().unwrap_or(0))
        .collect()
}

pub(super) fn words(job: &Job<'_>, transaction: usize, ended: TransactionEnd, result: &[u64]) -> String {
    match ended {
        TransactionEnd::Committed if result.is_empty() => "a commit".into(),
        TransactionEnd::Committed => {
            let components: Vec<String> = result.iter().map(|word| format!("{word:#x}")).collect();
            format!("a commit (result {})", components.join(", "))
        }
        TransactionEnd::Postponed | TransactionEnd::Halted => "a false guard".into(),
        TransactionEnd::Rejected(code) => format!("reject {code}"),
        TransactionEnd::Faulted(detail) => job.fault(transaction, detail).to_string(),
    }
}
