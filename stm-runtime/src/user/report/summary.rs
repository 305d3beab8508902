//! What became of a batch: counts, listed faults, and where the time and the memory went.

use std::collections::BTreeMap;

use kernels_gen::spec::Scalar;

use crate::backend::{CompiledProcedure, describe_fault};
use crate::data::{GpuData, value_of};
use crate::error::Error;
use crate::outcome::{
    Algorithm, COMMITTED, Conflicts, FAULTED, Fault, HotElement, LaunchShape, LocationConflicts, Memory, Outcome,
    Phases, REJECTED, Times, Unresolved, UnresolvedReason,
};
use crate::proof::Proof;
use crate::tuning::Tuning;
use crate::user::call::Ticket;

/// What became of the transactions of one run.
///
/// `Display` prints it as a block for people.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Report {
    /// The device, in words.
    pub device: String,
    /// The engine that ran.
    pub engine: Algorithm,
    /// The shape of its launches.
    pub shape: LaunchShape,
    /// How the engine was chosen: after [`Selection::auto`](crate::Selection::auto), or with a tuning that was made before.
    pub tuning: Option<Tuning>,
    /// All transactions of the batch.
    pub transactions: u64,
    /// Those whose effects are in the arrays.
    pub committed: u64,
    /// Those that gave up by `tx.reject`.
    pub rejected: u64,
    /// How many rejected with each code.
    pub codes: BTreeMap<u32, u64>,
    /// Those that did what Rust would panic on. They had no effect.
    pub faulted: u64,
    /// The first [`LISTED`](crate::report::LISTED) of them.
    pub faults: Vec<Fault>,
    /// Those without a final outcome. They had no effect.
    pub unresolved: u64,
    /// The first [`LISTED`](crate::report::LISTED) of them.
    pub unresolved_transactions: Vec<Unresolved>,
    /// Attempts that were repeated because of other transactions.
    pub conflicts: Conflicts,
    /// The same by source line, the most first; empty unless the batch was profiled.
    pub conflict_locations: Vec<LocationConflicts>,
    /// How often a transaction was postponed because its guard was false.
    pub postponements: u64,
    /// Passes over what was left, the first one included. On CPU threads, which take a transaction up again when something
    /// that it read has changed, how often one of them was taken up at the most.
    pub passes: u64,
    /// The elements with the most declared accesses, the hottest first, at most [`LISTED`](crate::report::LISTED); empty unless the engine counts
    /// accesses on a GPU, as `hot-elements` does.
    pub hottest: Vec<HotElement>,
    /// Transactions whose accesses are not in [`Report::hottest`]: their addresses are found on the way, and not known from their
    /// arguments. 0 unless the engine counts accesses.
    pub uncounted: u64,
    /// Where the time went.
    pub times: Times,
    /// Where the time of the device's threads went; `None` unless [`RunOptions::phases`](crate::RunOptions::phases) asked for
    /// it, and on CPU threads.
    pub phases: Option<Phases>,
    /// Memory on the device.
    pub memory: Memory,
    /// The verdict on the recorded history; `None` when the batch was not checked.
    pub proof: Option<Proof>,
    /// Things to know that are no errors, such as trouble with the cache of kernels.
    pub notes: Vec<String>,
    pub(super) outcomes: OutcomeColumns,
}

/// The outcome columns.
#[derive(Debug, Clone, Default)]
pub(super) struct OutcomeColumns {
    pub(super) batch: u64,
    pub(super) status: Vec<u8>,
    pub(super) detail: Vec<u32>,
    /// Component by component, each for all outcomes.
    pub(super) results: Vec<u64>,
    pub(super) unresolved_reason: UnresolvedReason,
    /// The function of each specialization.
    pub(super) procedures: Vec<CompiledProcedure>,
    /// The specialization of each transaction; empty where there is only one.
    pub(super) specializations: Vec<u16>,
}

impl OutcomeColumns {
    /// The function of a transaction, which exists.
    fn procedure(&self, transaction: usize) -> CompiledProcedure {
        self.procedures[self.specializations.get(transaction).map_or(0, |specialization| usize::from(*specialization))]
    }
}

impl Report {
    /// What became of one transaction. A fault that is not listed comes without its arguments.
    #[must_use]
    pub fn outcome<R: GpuData>(&self, ticket: Ticket<R>) -> Outcome<R> {
        let (batch, transaction) = ticket.place();
        // A ticket has the type of its call.
        if batch == self.outcomes.batch {
            self.outcome_of(transaction)
        } else {
            Outcome::Unresolved(UnresolvedReason::NotRun)
        }
    }

    /// Returns what became of the transaction with that index in the batch, as [`Report::outcome`] does; no ticket is needed.
    /// `R` is the result of that transaction's function, or `()` where the result does not matter.
    ///
    /// # Errors
    /// The transaction's function has a result that `R` cannot be: other scalars, or more or fewer of them.
    pub fn outcome_at<R: GpuData>(&self, transaction: usize) -> Result<Outcome<R>, Error> {
        if transaction < self.outcomes.status.len() && R::COMPONENTS > 0 {
            let spec = self.outcomes.procedure(transaction).spec;
            let mut own = spec.result.iter();
            let mut fits = true;
            R::TYPE.each_scalar(&mut |scalar| fits &= own.next() == Some(&scalar));
            if !fits || own.next().is_some() {
                let (result, asked) = (scalars(spec.result), R::TYPE.to_string());
                return Err(Error::ResultType { transaction, procedure: spec.name, result, asked });
            }
        }
        Ok(self.outcome_of(transaction))
    }

    fn outcome_of<R: GpuData>(&self, transaction: usize) -> Outcome<R> {
        let outcomes = &self.outcomes;
        let Some(status) = outcomes.status.get(transaction) else {
            return Outcome::Unresolved(UnresolvedReason::NotRun);
        };
        match *status {
            COMMITTED => {
                let components =
                    outcomes.results.chunks_exact(outcomes.status.len()).map(|component| component[transaction]);
                Outcome::Committed(value_of(components))
            }
            REJECTED => Outcome::Rejected(outcomes.detail.get(transaction).copied().unwrap_or(0)),
            FAULTED => {
                self.fault(transaction).map_or(Outcome::Unresolved(outcomes.unresolved_reason), Outcome::Faulted)
            }
            _ => Outcome::Unresolved(outcomes.unresolved_reason),
        }
    }

    /// The fault of a transaction; without its arguments where it is not listed.
    fn fault(&self, transaction: usize) -> Option<Fault> {
        if let Ok(at) = self.faults.binary_search_by_key(&transaction, |fault| fault.transaction) {
            return Some(self.faults[at].clone());
        }
        Some(describe_fault(
            transaction,
            self.outcomes.procedure(transaction),
            *self.outcomes.detail.get(transaction)?,
            Vec::new(),
        ))
    }

    /// Commits a second over the time that transactions ran, without compiling and copying.
    #[must_use]
    pub fn rate(&self) -> f64 {
        let seconds = self.times.kernel.as_secs_f64();
        if seconds > 0.0 { self.committed as f64 / seconds } else { 0.0 }
    }

    /// Every transaction has a final outcome.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.unresolved == 0
    }

    /// The recorded history is that of some one-at-a-time order; `None` when the batch was not checked.
    #[must_use]
    pub fn serializable(&self) -> Option<bool> {
        self.proof.as_ref().map(Proof::holds)
    }
}

/// A result by its scalars, as Rust writes it.
fn scalars(result: &[Scalar]) -> String {
    match result {
        [one] => one.rust().to_owned(),
        several => format!("({})", several.iter().map(|scalar| scalar.rust()).collect::<Vec<_>>().join(", ")),
    }
}
