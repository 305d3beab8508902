//! The report of a run: counts, listed faults, times and memory.

use std::collections::BTreeMap;

use kernels_gen::spec::{ProcedureSpec, Scalar};

use super::plan::Plan;
use crate::backend::Device;
use crate::backend::{CompiledProcedure, describe_fault};
use crate::data::GpuData;
use crate::device_cells::DeviceCells;
use crate::error::Error;
use crate::outcome::{
    Algorithm, COMMITTED, Compilation, ConflictProfile, Conflicts, Details, FAULTED, Fault, HotElement, LaunchShape,
    LocationConflicts, Memory, Outcome, Phases, PlanStep, REJECTED, Statuses, Times, Unresolved, UnresolvedReason,
};
use crate::proof::Proof;
use crate::tuning::Tuning;
use crate::user::call::Ticket;

/// The report of one run: the outcome of each transaction, and measurements.
///
/// `Display` prints it as a block of text.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Report {
    /// The description of the device.
    pub device: String,
    /// The engine that ran.
    pub engine: Algorithm,
    /// The shape of its launches.
    pub shape: LaunchShape,
    /// How the engine was chosen: after [`Selection::auto`](crate::Selection::auto), or with a tuning that was made before.
    pub tuning: Option<Tuning>,
    /// How the batch ran, step by step, if the user chose no engine, with what later runs can use ([`Selection::plan`](crate::Selection::plan)).
    pub plan: Option<Plan>,
    /// All transactions of the batch.
    pub transactions: u64,
    /// Transactions whose effects are in the arrays.
    pub committed: u64,
    /// Transactions that gave up by `tx.reject`.
    pub rejected: u64,
    /// The number of rejected transactions for each code. Empty where outcomes were only counted.
    pub codes: BTreeMap<u32, u64>,
    /// Transactions that did what Rust would panic on. They had no effect.
    pub faulted: u64,
    /// The first [`LISTED`](crate::report::LISTED) faults.
    pub faults: Vec<Fault>,
    /// Transactions without a final outcome. They had no effect.
    pub unresolved: u64,
    /// The first [`LISTED`](crate::report::LISTED) unresolved transactions.
    pub unresolved_transactions: Vec<Unresolved>,
    /// Attempts that were repeated because of other transactions.
    pub conflicts: Conflicts,
    /// The conflicts by source line, the most first; empty unless the batch was profiled.
    pub conflict_locations: Vec<LocationConflicts>,
    /// The elements and the functions of the conflicts; `None` unless the batch was profiled.
    pub profile: Option<ConflictProfile>,
    /// How often a transaction was postponed because its guard was false.
    pub postponements: u64,
    /// Passes over the unfinished transactions, the first one included. CPU threads execute a transaction again when something
    /// that it read has changed; there it is the largest number of executions of one transaction.
    pub passes: u64,
    /// The elements with the most declared accesses, the hottest first, at most [`LISTED`](crate::report::LISTED). Empty unless
    /// the engine counts accesses on a GPU, as `hot-elements` does.
    pub hottest: Vec<HotElement>,
    /// Transactions whose accesses are not in [`Report::hottest`], because their addresses are not known from their
    /// arguments. 0 unless the engine counts accesses.
    pub uncounted: u64,
    /// Where the time went.
    pub times: Times,
    /// The units of the run, in the order in which they were needed: where each comes from, and what its time was spent on. Empty on
    /// CPU threads.
    pub units: Vec<Compilation>,
    /// Where the time of the device's threads went; `None` on CPU threads, and unless
    /// [`RunOptions::phases`](crate::RunOptions::phases)
    /// is set.
    pub phases: Option<Phases>,
    /// Memory on the device.
    pub memory: Memory,
    /// The verdict on the recorded history; `None` when the batch was not checked.
    pub proof: Option<Proof>,
    /// Notes that are not errors, such as trouble with the kernel cache.
    pub notes: Vec<String>,
    pub(super) outcomes: OutcomeColumns,
}

/// The outcome columns.
#[derive(Debug, Clone, Default)]
pub(super) struct OutcomeColumns {
    pub(super) batch: u64,
    /// The outcomes were only counted, and are not here.
    pub(super) are_counted: bool,
    pub(super) status: Statuses,
    pub(super) detail: Details,
    /// Component by component, each for all outcomes.
    pub(super) results: Vec<u64>,
    /// The same on a device, where they have stayed.
    pub(super) there: Option<(Device, DeviceCells)>,
    pub(super) unresolved_reason: UnresolvedReason,
    /// The function of each specialization.
    pub(super) procedures: Vec<CompiledProcedure>,
    /// The specialization of each transaction; empty where there is only one.
    pub(super) specializations: Vec<u16>,
}

impl OutcomeColumns {
    /// Returns the function of a transaction, which must exist.
    fn procedure(&self, transaction: usize) -> CompiledProcedure {
        self.procedures[self.specializations.get(transaction).map_or(0, |specialization| usize::from(*specialization))]
    }
}

impl Report {
    /// Returns the outcome of one transaction. A fault that is not listed comes without its arguments. Where outcomes were only counted
    /// ([`RunOptions::outcomes`](crate::RunOptions::outcomes)), it is [`UnresolvedReason::OnlyCounted`].
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

    /// Returns the outcome of the transaction with that index in the batch, as [`Report::outcome`] does; no ticket is needed.
    /// `R` is the result of that transaction's function, or `()` where the result does not matter.
    ///
    /// # Errors
    /// The result of the transaction's function does not have the scalars of `R`.
    pub fn outcome_at<R: GpuData>(&self, transaction: usize) -> Result<Outcome<R>, Error> {
        if transaction < self.outcomes.status.transactions()
            && let Some((procedure, result)) = result_type::<R>(self.outcomes.procedure(transaction).spec)
        {
            return Err(Error::ResultType { transaction, procedure, result, asked: R::TYPE.to_string() });
        }
        Ok(self.outcome_of(transaction))
    }

    fn outcome_of<R: GpuData>(&self, transaction: usize) -> Outcome<R> {
        let outcomes = &self.outcomes;
        let Some(status) = outcomes.status.at(transaction) else {
            let was_run = outcomes.are_counted && (transaction as u64) < self.transactions;
            return Outcome::Unresolved(if was_run { UnresolvedReason::OnlyCounted } else { UnresolvedReason::NotRun });
        };
        match status {
            COMMITTED => {
                self.result(transaction).map_or(Outcome::Unresolved(UnresolvedReason::ResultLost), Outcome::Committed)
            }
            REJECTED => Outcome::Rejected(outcomes.detail.get(transaction).copied().unwrap_or(0)),
            FAULTED => {
                self.fault(transaction).map_or(Outcome::Unresolved(outcomes.unresolved_reason), Outcome::Faulted)
            }
            _ => Outcome::Unresolved(outcomes.unresolved_reason),
        }
    }

    /// Returns the fault of a transaction; without its arguments where it is not listed.
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

    /// Returns the commits per second of the time that transactions ran, without compiling and copying.
    #[must_use]
    pub fn rate(&self) -> f64 {
        let seconds = self.times.kernel.as_secs_f64();
        if seconds > 0.0 { self.committed as f64 / seconds } else { 0.0 }
    }

    /// Returns what each method of the plan did; nothing if the user chose an engine.
    #[must_use]
    pub fn steps(&self) -> &[PlanStep] {
        self.plan.as_ref().map_or(&[], |plan| &plan.steps)
    }

    /// Returns whether every transaction has a final outcome.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.unresolved == 0
    }

    /// Returns whether the recorded history is that of some one-at-a-time order; `None` when the batch was not checked.
    #[must_use]
    pub fn serializable(&self) -> Option<bool> {
        self.proof.as_ref().map(Proof::holds)
    }
}

/// Returns the name and the result type of a procedure whose result is not `R`. Anything can be asked for as `()`.
pub(crate) fn result_type<R: GpuData>(spec: &ProcedureSpec) -> Option<(&'static str, String)> {
    let mut own = spec.result.iter();
    let mut fits = true;
    R::TYPE.each_scalar(&mut |scalar| fits &= own.next() == Some(&scalar));
    let differs = R::COMPONENTS > 0 && !(fits && own.next().is_none());
    differs.then(|| (spec.name, scalars(spec.result)))
}

/// Formats a result type from its scalars, as Rust writes it.
fn scalars(result: &[Scalar]) -> String {
    match result {
        [one] => one.rust().to_owned(),
        several => format!("({})", several.iter().map(|scalar| scalar.rust()).collect::<Vec<_>>().join(", ")),
    }
}
