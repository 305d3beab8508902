//! Faults and unresolved transactions, and the counts, times and bytes of a run.

use std::fmt;
use std::time::Duration;

use kernels_gen::fault::FaultCode;

use super::compilation::CompileTimes;

/// How many faults, unresolved transactions and hot elements a report lists; it counts all of them.
pub const LISTED: usize = 1000;

/// Why a transaction has no final outcome.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
#[non_exhaustive]
pub enum UnresolvedReason {
    /// The guard is false, and no remaining transaction can make it true.
    #[default]
    GuardNeverHeld,
    /// The pass limit was reached.
    PassLimit,
    /// The time limit was reached.
    TimeLimit,
    /// The stop flag was set.
    Stopped,
    /// The transaction was pushed after the run, or into another batch.
    NotRun,
    /// The outcome is not known, because the run only counted outcomes
    /// ([`RunOptions::outcomes`](crate::RunOptions::outcomes)).
    OnlyCounted,
    /// The transaction has committed, and its result has stayed on a device that has failed since then
    /// ([`Outcomes::ResultsStay`](crate::options::Outcomes::ResultsStay)).
    ResultLost,
}

impl UnresolvedReason {
    /// Returns the reason that explains more, where parts of a run ended for two reasons. Prefers the limit: a run cut short says
    /// nothing about its guards.
    pub(crate) fn stronger(self, other: UnresolvedReason) -> UnresolvedReason {
        self.max(other)
    }
}

impl fmt::Display for UnresolvedReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            UnresolvedReason::GuardNeverHeld => "its guard never held",
            UnresolvedReason::PassLimit => "the pass limit was reached",
            UnresolvedReason::TimeLimit => "the time limit was reached",
            UnresolvedReason::Stopped => "the run was stopped",
            UnresolvedReason::NotRun => "it was not part of the run",
            UnresolvedReason::OnlyCounted => "outcomes were only counted",
            UnresolvedReason::ResultLost => "the device has failed that had its result",
        })
    }
}

/// One transaction that did what Rust would panic on.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Fault {
    /// Its index in the batch, from 0.
    pub transaction: usize,
    /// The function.
    pub procedure: &'static str,
    /// The values that it was called with: name and value.
    pub arguments: Vec<(&'static str, String)>,
    /// What happened.
    pub code: FaultCode,
    /// The source file.
    pub file: &'static str,
    /// The line in the file, from 1.
    pub line: u32,
    /// The column, from 1; 0 where it is not known.
    pub column: u32,
    /// The source text there, shortened; for a panic, its message.
    pub text: &'static str,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_call(f, self.transaction, self.procedure, &self.arguments)?;
        // For a panic the text is its message; otherwise it is the source.
        let message = self.code == FaultCode::Panic && !self.text.is_empty();
        write!(f, ": {}", self.code)?;
        if message {
            write!(f, " with `{}`", self.text)?;
        }
        write!(f, " at {}:{}", self.file, self.line)?;
        if self.column > 0 {
            write!(f, ":{}", self.column)?;
        }
        if message || self.text.is_empty() { Ok(()) } else { write!(f, " in `{}`", self.text) }
    }
}

/// One transaction without a final outcome.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Unresolved {
    /// Its index in the batch, from 0.
    pub transaction: usize,
    /// The function.
    pub procedure: &'static str,
    /// The values that it was called with: name and value.
    pub arguments: Vec<(&'static str, String)>,
    /// The reason.
    pub reason: UnresolvedReason,
}

impl fmt::Display for Unresolved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_call(f, self.transaction, self.procedure, &self.arguments)?;
        write!(f, ": {}", self.reason)
    }
}

/// Writes the call: `transaction 7, transfer(from: 1, to: 2)`.
pub(crate) fn write_call(
    f: &mut fmt::Formatter<'_>,
    transaction: usize,
    procedure: &str,
    arguments: &[(&'static str, String)],
) -> fmt::Result {
    write!(f, "transaction {transaction}, {procedure}(")?;
    for (at, (name, value)) in arguments.iter().enumerate() {
        let comma = if at == 0 { "" } else { ", " };
        write!(f, "{comma}{name}: {value}")?;
    }
    f.write_str(")")
}

/// Attempts that were repeated because of other transactions, by cause.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Conflicts {
    /// A lock was held by another transaction.
    pub locked: u64,
    /// A transaction of higher priority took over an element.
    pub stolen: u64,
    /// A value that had been read was changed.
    pub changed: u64,
    /// The version that a snapshot needed had been overwritten.
    pub overwritten: u64,
    /// Anything else.
    pub other: u64,
}

impl Conflicts {
    /// Returns the sum.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.by_cause().iter().map(|(_, count)| count).sum()
    }

    /// Returns the counts with the names of the causes.
    #[must_use]
    pub fn by_cause(&self) -> [(&'static str, u64); 5] {
        [
            ("locked", self.locked),
            ("stolen", self.stolen),
            ("changed", self.changed),
            ("overwritten", self.overwritten),
            ("other", self.other),
        ]
    }

    /// Adds the counts of another part of the run.
    pub(crate) fn add(&mut self, other: &Conflicts) {
        self.locked += other.locked;
        self.stolen += other.stolen;
        self.changed += other.changed;
        self.overwritten += other.overwritten;
        self.other += other.other;
    }
}

/// The conflicts at one access of a function.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct LocationConflicts {
    /// The function.
    pub procedure: &'static str,
    /// The source file.
    pub file: &'static str,
    /// The line in the file, from 1.
    pub line: u32,
    /// The column, from 1.
    pub column: u32,
    /// The source text there, shortened.
    pub text: &'static str,
    /// The number of conflicts.
    pub conflicts: u64,
}

/// Where the time of a run went. All fields but [`Times::compile_steps`] and [`Times::check`] add up to [`Times::total`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Times {
    /// What no other field has: waiting for arrays that another run uses, choosing the engine, and allocating and freeing memory of
    /// the host and of the device.
    pub setup: Duration,
    /// Compiling the kernel, or finding it in the cache.
    pub compile: Duration,
    /// What [`Times::compile`] was spent on. The steps add up to it; [`Report::units`](crate::Report::units) has those of each unit.
    pub compile_steps: CompileTimes,
    /// Copying to the device. What travels with a launch is part of [`Times::launch`].
    pub upload: Duration,
    /// Running transactions.
    pub kernel: Duration,
    /// Starting kernels, waiting for them beyond [`Times::kernel`], and reading what they counted; for a small batch also the copies of its
    /// transactions there and of their outcomes back. Zero on CPU threads.
    pub launch: Duration,
    /// Copying from the device.
    pub download: Duration,
    /// Making the report: counting the outcomes.
    pub report: Duration,
    /// Checking the history, when the batch was checked.
    pub check: Duration,
    /// From the call of `run` to its return, without the check.
    pub total: Duration,
}

impl Times {
    /// Returns the parts of [`Times::total`], with their names, in the order of a run.
    #[must_use]
    pub fn by_part(&self) -> [(&'static str, Duration); 7] {
        [
            ("setup", self.setup),
            ("compile", self.compile),
            ("upload", self.upload),
            ("run", self.kernel),
            ("launch", self.launch),
            ("download", self.download),
            ("report", self.report),
        ]
    }

    /// Sets the total time, and what is left of it for [`Times::setup`].
    pub(crate) fn add_up(&mut self, total: Duration) {
        self.setup = Duration::ZERO;
        let known = self.by_part().iter().map(|(_, time)| *time).sum();
        self.setup = total.saturating_sub(known);
        // Kernels may measure with another clock, so that a sum can be more than the whole.
        self.total = self.setup + known;
    }
}

/// Bytes of device memory that a run used (host memory on CPU threads).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Memory {
    /// Argument columns.
    pub arguments: u64,
    /// Results.
    pub results: u64,
    /// Lock words.
    pub locks: u64,
    /// Elements.
    pub data: u64,
    /// Outcomes, counters and everything else.
    pub bookkeeping: u64,
}

impl Memory {
    /// Returns the sum.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.arguments + self.results + self.locks + self.data + self.bookkeeping
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_say_what_and_where() {
        let fault = |code, text| {
            let arguments = vec![("at", "3".to_owned())];
            Fault { transaction: 2, procedure: "book", arguments, code, file: "src/a.rs", line: 7, column: 9, text }
                .to_string()
        };
        assert_eq!(
            fault(FaultCode::Overflow, "free - 1"),
            "transaction 2, book(at: 3): arithmetic overflow at src/a.rs:7:9 in `free - 1`"
        );
        assert_eq!(
            fault(FaultCode::Panic, "no such room"),
            "transaction 2, book(at: 3): panic with `no such room` at src/a.rs:7:9"
        );
        assert_eq!(fault(FaultCode::Panic, ""), "transaction 2, book(at: 3): panic at src/a.rs:7:9");
        assert_eq!(
            fault(FaultCode::Unwrap, "rooms.first"),
            "transaction 2, book(at: 3): `unwrap` on `None` at src/a.rs:7:9 in `rooms.first`"
        );
    }
}
