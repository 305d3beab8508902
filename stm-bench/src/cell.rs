//! The stored result of a measurement: one cell of a sweep, with all its runs.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use stm_runtime::Report;
use stm_runtime::report::{Memory, Times};

use crate::entry::Ran;
use crate::options::Options;
use crate::parameters::Parameters;
use crate::phases;
use crate::profile::Profile;
use crate::stats::Spread;
use crate::steps::{self, Step};

/// What was measured: two cells with the same key are the same measurement.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Key {
    /// The benchmark.
    pub benchmark: String,
    /// All its parameters.
    pub parameters: Parameters,
    /// The options with which its batch was run.
    pub options: Options,
    /// The engine, by the name of the algorithm that runs on the device.
    pub engine: String,
    /// The device, as text.
    pub device: String,
}

/// How a measurement ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// All runs were correct.
    Ok,
    /// A run broke the invariant, or its history is not that of a one-at-a-time order.
    Failed,
    /// The device, the engine or the benchmark does not support it.
    Refused,
    /// A run exceeded its time limit.
    TimedOut,
}

impl Status {
    /// Returns the status as text.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Status::Ok => "ok",
            Status::Failed => "failed",
            Status::Refused => "refused",
            Status::TimedOut => "timed out",
        }
    }
}

/// One measurement: a benchmark with its parameters under one engine on one device.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Cell {
    /// What was measured.
    #[serde(flatten)]
    pub key: Key,
    /// How it ended.
    pub status: Status,
    /// The reason, if it did not end well.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// Cells with the same number ran in turn, so that their runs can be compared one by one.
    pub round: String,
    /// The launch shape, as text.
    #[serde(default)]
    pub shape: String,
    /// Seconds to make the transactions, once for all engines.
    #[serde(default)]
    pub generate: f64,
    /// Every run that counts, in order.
    pub runs: Vec<Run>,
    /// Commits a second over all runs.
    #[serde(default)]
    pub rate: Option<Spread>,
}

/// One run. Times are seconds.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// Commits a second, by `kernel`.
    pub rate: f64,
    /// Time to run the transactions, by the device's own clock if it has one.
    pub kernel: f64,
    /// The whole run, with copies.
    pub total: f64,
    /// Time to compile the kernel, or to find it in the cache.
    pub compile: f64,
    /// What that time was spent on, by step: text, memory, disk, compiler, linker, loading. Empty on CPU threads, and in results of
    /// earlier versions.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub compile_steps: BTreeMap<String, f64>,
    /// The number of units by where they come from: compiled, disk, memory.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub units: BTreeMap<String, u64>,
    /// Time to copy to the device.
    pub upload: f64,
    /// Time to copy from the device.
    pub download: f64,
    /// Time to make the state.
    pub setup: f64,
    /// Time to fill the batch.
    pub fill: f64,
    /// Transactions that committed.
    pub committed: u64,
    /// Transactions that rejected.
    pub rejected: u64,
    /// Transactions that faulted: Rust would panic.
    pub faulted: u64,
    /// Transactions without an outcome.
    pub unresolved: u64,
    /// The number of postponements.
    pub postponed: u64,
    /// Retried attempts, by cause.
    pub conflicts: BTreeMap<String, u64>,
    /// Where the time of GPU threads went: microseconds for each commit, by phase. Empty unless requested.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub phases: BTreeMap<String, f64>,
    /// What each method did, where the engine was left to the plan. Empty in results of earlier versions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub plan: Vec<Step>,
    /// Where the conflicts were, if that was requested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profile: Option<Profile>,
    /// Bytes of lock words and everything else that is not data, arguments or results.
    pub metadata: u64,
    /// Bytes of elements.
    pub data: u64,
    /// The result of the history check, if it was requested.
    pub serializable: Option<bool>,
}

/// Returns what the time of compiling was spent on; nothing where no unit was needed.
fn compile_steps(report: &Report) -> BTreeMap<String, f64> {
    let steps = report.times.compile_steps.by_step().into_iter().filter(|_| !report.units.is_empty());
    steps.map(|(name, time)| (name.to_owned(), time.as_secs_f64())).collect()
}

/// Counts the units by their origin.
fn units(report: &Report) -> BTreeMap<String, u64> {
    let mut units = BTreeMap::new();
    report.units.iter().for_each(|unit| *units.entry(unit.origin.name().to_owned()).or_default() += 1);
    units
}

impl Run {
    pub(crate) fn of(ran: &Ran) -> Run {
        let report: &Report = &ran.report;
        let (times, memory): (&Times, &Memory) = (&report.times, &report.memory);
        let causes = report.conflicts.by_cause().into_iter().filter(|(_, count)| *count > 0);
        Run {
            rate: report.rate(),
            kernel: times.kernel.as_secs_f64(),
            total: times.total.as_secs_f64(),
            compile: times.compile.as_secs_f64(),
            compile_steps: compile_steps(report),
            units: units(report),
            upload: times.upload.as_secs_f64(),
            download: times.download.as_secs_f64(),
            setup: ran.setup.as_secs_f64(),
            fill: ran.fill.as_secs_f64(),
            committed: report.committed,
            rejected: report.rejected,
            faulted: report.faulted,
            unresolved: report.unresolved,
            postponed: report.postponements,
            conflicts: causes.map(|(cause, count)| (cause.to_owned(), count)).collect(),
            phases: phases::of(report),
            plan: steps::of(report),
            profile: Profile::of(report),
            metadata: memory.locks + memory.bookkeeping,
            data: memory.data,
            serializable: report.serializable(),
        }
    }

    /// Returns the number of all conflicts.
    #[must_use]
    pub fn conflicts(&self) -> u64 {
        self.conflicts.values().sum()
    }

    /// Returns the abort rate: the attempts that conflicts aborted, in percent of all.
    #[must_use]
    pub fn abort_rate(&self) -> f64 {
        let (aborts, ends) = (self.conflicts() as f64, (self.committed + self.rejected) as f64);
        if aborts + ends > 0.0 { 100.0 * aborts / (aborts + ends) } else { 0.0 }
    }
}

/// A measured quantity of the runs of a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Metric {
    /// Million commits a second.
    #[default]
    Throughput,
    /// Aborted attempts, in percent of all.
    AbortRate,
    /// Microseconds of GPU threads for each commit.
    TotalTime,
    /// The part of it that went to aborted attempts.
    WastedTime,
}

impl Metric {
    /// Returns the name with its unit, for an axis.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Metric::Throughput => "million commits a second",
            Metric::AbortRate => "aborted attempts (% of all)",
            Metric::TotalTime => "thread time, µs a commit",
            Metric::WastedTime => "wasted thread time, µs a commit",
        }
    }

    /// Returns the value in one run; `None` if it was not measured.
    #[must_use]
    pub fn of(self, run: &Run) -> Option<f64> {
        match self {
            Metric::Throughput => Some(run.rate / 1e6),
            Metric::AbortRate => Some(run.abort_rate()),
            Metric::TotalTime => run.phases.get("total").copied(),
            Metric::WastedTime => run.phases.get("wasted").copied(),
        }
    }

    /// Returns whether it needs runs with phases.
    pub(crate) fn is_timed(self) -> bool {
        matches!(self, Metric::TotalTime | Metric::WastedTime)
    }
}

impl Cell {
    /// Returns a quantity over all runs; `None` if there is no result.
    #[must_use]
    pub fn spread(&self, metric: Metric) -> Option<Spread> {
        self.over_runs(|run| metric.of(run))
    }

    /// Returns a phase over all runs, by its name.
    pub(crate) fn phase(&self, name: &str) -> Option<Spread> {
        self.over_runs(|run| run.phases.get(name).copied())
    }

    fn over_runs(&self, number: impl Fn(&Run) -> Option<f64>) -> Option<Spread> {
        let values: Vec<f64> = self.runs.iter().filter_map(number).collect();
        Spread::of(&values).filter(|_| self.status == Status::Ok)
    }

    /// Returns the ratio of the rates to those of another cell, run by run; `None` if the two did not run in turn.
    #[must_use]
    pub fn ratio(&self, to: &Cell) -> Option<Spread> {
        let paired = self.round == to.round && self.status == Status::Ok && to.status == Status::Ok;
        let ratios: Vec<f64> = self.runs.iter().zip(&to.runs).map(|(a, b)| a.rate / b.rate).collect();
        Spread::of(&ratios).filter(|_| paired)
    }

    /// Returns the run with the median rate, or the one below.
    #[must_use]
    pub fn median_run(&self) -> Option<&Run> {
        let mut sorted: Vec<&Run> = self.runs.iter().collect();
        sorted.sort_by(|a, b| a.rate.total_cmp(&b.rate));
        sorted.get(sorted.len().saturating_sub(1) / 2).copied()
    }

    /// Returns the duration of the longest run.
    #[must_use]
    pub fn longest(&self) -> Duration {
        let seconds = self.runs.iter().map(|run| run.setup + run.fill + run.total).fold(0.0, f64::max);
        Duration::try_from_secs_f64(seconds).unwrap_or_default()
    }
}

/// Returns the names that some of the cells have.
pub(crate) fn measured_phases(cells: &[Cell]) -> Vec<&'static str> {
    let has = |name: &&str| cells.iter().any(|cell| cell.phase(name).is_some());
    phases::NAMES.into_iter().filter(has).collect()
}
