//! What became of a table: counts, listed faults, and where the time and the memory went.

mod build;
mod parts;
mod phases;
mod text;

use std::collections::BTreeMap;

use kernels_gen::spec::Scalar;

use build::describe;
pub(crate) use build::{Input, arguments, build, empty, fault, kind_name};
pub(crate) use parts::write_call;
pub use parts::{Conflicts, Fault, Memory, Outcome, SiteConflicts, Times, Unresolved, Why};
pub use phases::Phases;
pub(crate) use text::grouped;

use crate::call::Ticket;
use crate::choice::Choice;
use crate::data::{GpuData, value_of};
use crate::error::Error;
use crate::job::{COMMITTED, FAULTED, REJECTED};
use crate::kind::Compiled;
use crate::proof::Proof;

/// How many faults and unresolved transactions a report lists; it counts all of them.
pub const LISTED: usize = 1000;

/// What became of the transactions of one run.
///
/// `Display` prints it as a block for people.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Report {
    /// The device, in words.
    pub device: String,
    /// The engine that ran, in words.
    pub engine: String,
    /// The launch shape, in words.
    pub shape: String,
    /// How the engine was chosen: after [`Engine::auto`](crate::Engine::auto), or with a choice that was made before.
    pub choice: Option<Choice>,
    /// All transactions of the table.
    pub transactions: u64,
    /// Those whose effects are in the regions.
    pub committed: u64,
    /// Those that gave up by `tx.reject`.
    pub rejected: u64,
    /// How many rejected with each code.
    pub codes: BTreeMap<u32, u64>,
    /// Those that did what Rust would panic on. They had no effect.
    pub faulted: u64,
    /// The first [`LISTED`] of them.
    pub faults: Vec<Fault>,
    /// Those without a final outcome. They had no effect.
    pub unresolved: u64,
    /// The first [`LISTED`] of them.
    pub unresolved_rows: Vec<Unresolved>,
    /// Attempts that were repeated because of other transactions.
    pub conflicts: Conflicts,
    /// The same by source line, the most first; empty unless the table was profiled.
    pub conflict_sites: Vec<SiteConflicts>,
    /// How often a transaction was put off because its guard was false.
    pub postponements: u64,
    /// Passes over what was left, the first one included. On CPU threads, which take a transaction up again when something
    /// that it read has changed, how often one of them was taken up at the most.
    pub passes: u64,
    /// Where the time went.
    pub times: Times,
    /// Where the time of the device's threads went; `None` unless [`Table::phases`](crate::Table::phases) asked for it, and on
    /// CPU threads.
    pub phases: Option<Phases>,
    /// Memory on the device.
    pub memory: Memory,
    /// The verdict on the recorded history; `None` when the table was not checked.
    pub proof: Option<Proof>,
    /// Things to know that are no errors, such as trouble with the cache of kernels.
    pub notes: Vec<String>,
    rows: Rows,
}

/// The outcome columns.
#[derive(Debug, Clone, Default)]
struct Rows {
    table: u64,
    status: Vec<u8>,
    detail: Vec<u32>,
    /// Leaf by leaf, each for all rows.
    results: Vec<u64>,
    why_left: Why,
    /// The function of each binding.
    kinds: Vec<Compiled>,
    /// The binding of each row; empty where there is only one.
    bindings: Vec<u16>,
}

impl Rows {
    /// The function of a row, which exists.
    fn kind(&self, row: usize) -> Compiled {
        self.kinds[self.bindings.get(row).map_or(0, |binding| usize::from(*binding))]
    }
}

impl Report {
    /// What became of one transaction. A fault that is not listed comes without its arguments.
    #[must_use]
    pub fn outcome<R: GpuData>(&self, ticket: Ticket<R>) -> Outcome<R> {
        let (table, row) = ticket.place();
        // A ticket has the type of its call.
        if table == self.rows.table { self.outcome_of(row) } else { Outcome::Unresolved(Why::NotRun) }
    }

    /// What became of the transaction in that row of the table, as [`Report::outcome`] says it, for whoever kept no tickets.
    /// `R` is the result of that row's function, or `()` where the result does not matter.
    ///
    /// # Errors
    /// The row's function has a result that `R` cannot be: other scalars, or more or fewer of them.
    pub fn outcome_at<R: GpuData>(&self, row: usize) -> Result<Outcome<R>, Error> {
        if row < self.rows.status.len() && R::LEAVES > 0 {
            let spec = self.rows.kind(row).spec;
            let mut own = spec.result.iter();
            let mut fits = true;
            R::TYPE.each_scalar(&mut |scalar| fits &= own.next() == Some(&scalar));
            if !fits || own.next().is_some() {
                let (result, asked) = (scalars(spec.result), R::TYPE.to_string());
                return Err(Error::ResultType { row, kind: spec.name, result, asked });
            }
        }
        Ok(self.outcome_of(row))
    }

    fn outcome_of<R: GpuData>(&self, row: usize) -> Outcome<R> {
        let rows = &self.rows;
        let Some(status) = rows.status.get(row) else {
            return Outcome::Unresolved(Why::NotRun);
        };
        match *status {
            COMMITTED => {
                let leaves = rows.results.chunks_exact(rows.status.len()).map(|leaf| leaf[row]);
                Outcome::Committed(value_of(leaves))
            }
            REJECTED => Outcome::Rejected(rows.detail.get(row).copied().unwrap_or(0)),
            FAULTED => self.fault(row).map_or(Outcome::Unresolved(rows.why_left), Outcome::Faulted),
            _ => Outcome::Unresolved(rows.why_left),
        }
    }

    /// The fault of a row; without its arguments where it is not listed.
    fn fault(&self, row: usize) -> Option<Fault> {
        if let Ok(at) = self.faults.binary_search_by_key(&row, |fault| fault.row) {
            return Some(self.faults[at].clone());
        }
        Some(describe(row, self.rows.kind(row), *self.rows.detail.get(row)?, Vec::new()))
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

    /// The recorded history is that of some one-at-a-time order; `None` when the table was not checked.
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
