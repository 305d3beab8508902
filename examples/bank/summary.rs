//! The result of a run: for people, and for programs.

use std::collections::BTreeMap;
use std::process::ExitCode;
use std::time::Duration;

use examples::{grouped, millions};
use gpu_transactions::{Outcome, Report, Tuning};
use serde::Serialize;

use crate::business::Audit;
use crate::cli::Args;
use crate::runs::RunTimes;

/// A batch that was filled and run.
pub(crate) struct Done {
    pub(crate) report: Report,
    pub(crate) audit: Option<Audit>,
    /// The time to fill the batch.
    pub(crate) filling: Duration,
    /// The time from the lists of arguments to the report.
    pub(crate) whole: Duration,
}

/// The result of all runs.
pub(crate) struct Summary {
    /// The last one.
    pub(crate) done: Done,
    /// What the runs after the first one took.
    pub(crate) runs: Option<RunTimes>,
    pub(crate) total_before: i64,
    pub(crate) total_after: i64,
    pub(crate) stopped: bool,
}

impl Done {
    /// Returns the time from the lists of arguments to the report, without compilation.
    pub(crate) fn end_to_end(&self) -> Duration {
        self.whole.saturating_sub(self.report.times.compile + self.report.times.check)
    }

    /// Returns the commits per second of that time.
    fn rate(&self) -> f64 {
        self.report.committed as f64 / self.end_to_end().as_secs_f64().max(f64::MIN_POSITIVE)
    }
}

/// The one object that `--json` prints.
#[derive(Serialize)]
struct Object<'a> {
    device: &'a str,
    engine: String,
    accounts: u32,
    transactions: u64,
    committed: u64,
    rejected: u64,
    faulted: u64,
    unresolved: u64,
    conflicts: u64,
    postponed: u64,
    total_before: i64,
    total_after: i64,
    rate: f64,
    /// How the batch was filled.
    fill: String,
    /// Seconds to fill it.
    filling: f64,
    /// Seconds from the lists of arguments to the report, without compilation.
    end_to_end: f64,
    /// Commits per second of that time.
    end_to_end_rate: f64,
    /// Seconds of each part of the run.
    times: BTreeMap<&'static str, f64>,
    /// Seconds to compile the kernels or to find them in a cache; 0 on CPU threads.
    compile: f64,
    /// What that time was spent on.
    compile_steps: BTreeMap<&'static str, f64>,
    /// Where each unit comes from: compiled, disk or memory.
    units: Vec<&'static str>,
    serializable: Option<bool>,
    /// What the runs after the first one took.
    #[serde(skip_serializing_if = "Option::is_none")]
    runs: Option<&'a RunTimes>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tuning: Option<&'a Tuning>,
}

impl Summary {
    pub(crate) fn money_is_right(&self) -> bool {
        self.total_before == self.total_after
    }

    pub(crate) fn exit_code(&self) -> ExitCode {
        if !self.money_is_right() || self.done.report.serializable() == Some(false) {
            return ExitCode::from(1);
        }
        // The status that shells report for a program that Ctrl-C ended.
        if self.stopped { ExitCode::from(130) } else { ExitCode::SUCCESS }
    }

    pub(crate) fn json(&self, args: &Args) -> Result<String, serde_json::Error> {
        let report = &self.done.report;
        let steps = report.times.compile_steps.by_step().into_iter().filter(|_| !report.units.is_empty());
        examples::json(&Object {
            device: &report.device,
            engine: report.engine.to_string(),
            accounts: args.accounts,
            transactions: report.transactions,
            committed: report.committed,
            rejected: report.rejected,
            faulted: report.faulted,
            unresolved: report.unresolved,
            conflicts: report.conflicts.total(),
            postponed: report.postponements,
            total_before: self.total_before,
            total_after: self.total_after,
            rate: report.rate(),
            fill: format!("{:?}", args.fill).to_lowercase(),
            filling: self.done.filling.as_secs_f64(),
            end_to_end: self.done.end_to_end().as_secs_f64(),
            end_to_end_rate: self.done.rate(),
            times: report.times.by_part().map(|(name, time)| (name, time.as_secs_f64())).into(),
            compile: report.times.compile.as_secs_f64(),
            compile_steps: steps.map(|(name, time)| (name, time.as_secs_f64())).collect(),
            units: report.units.iter().map(|unit| unit.origin.name()).collect(),
            serializable: report.serializable(),
            runs: self.runs.as_ref(),
            tuning: report.tuning.as_ref(),
        })
    }

    /// Returns the report in sentences.
    pub(crate) fn explain(&self) -> String {
        let lines = [
            self.money(),
            self.filled(),
            self.waiting(),
            self.refused(),
            self.repeated(),
            self.audited(),
            self.proven(),
        ];
        lines.into_iter().flatten().map(|line| format!("- {line}\n")).collect()
    }

    /// Returns the measurements that chose the engine, if there are any.
    pub(crate) fn measured(&self) -> String {
        let tuning = self.done.report.tuning.as_ref().filter(|tuning| !tuning.trials.is_empty());
        tuning.map_or_else(String::new, |tuning| format!("\nHow the engine was chosen:\n{tuning}"))
    }

    fn money(&self) -> Option<String> {
        let (before, after) = (grouped(self.total_before), grouped(self.total_after));
        Some(if self.money_is_right() {
            format!("All money is still there: {before} before and after, accounts and purses together.")
        } else {
            format!("MONEY IS WRONG: {before} before and {after} after.")
        })
    }

    fn filled(&self) -> Option<String> {
        let (filling, whole) = (self.done.filling.as_secs_f64(), self.done.end_to_end().as_secs_f64());
        let rate = millions(self.done.rate());
        Some(format!(
            "Filling the batch took {:.2} ms; from the lists of arguments to the report, without compilation, {:.2} ms: {rate} million a second.",
            1e3 * filling,
            1e3 * whole
        ))
    }

    fn waiting(&self) -> Option<String> {
        let report = &self.done.report;
        let left = grouped(report.unresolved);
        if self.stopped {
            return Some(format!("The run was stopped; {left} transactions were not made and changed nothing."));
        }
        if report.unresolved > 0 {
            return Some(format!(
                "{left} transfers still wait for funds that nothing left in the batch brings; they changed nothing."
            ));
        }
        (report.postponements > 0).then(|| {
            format!("Transfers waited for funds {} times, and then went through.", grouped(report.postponements))
        })
    }

    fn refused(&self) -> Option<String> {
        let refused = self.done.report.rejected;
        (refused > 0).then(|| format!("{} deposits gave up: the purse did not hold so much.", grouped(refused)))
    }

    fn repeated(&self) -> Option<String> {
        let conflicts = self.done.report.conflicts.total();
        if conflicts == 0 {
            return Some("No two transactions got into each other's way.".into());
        }
        let each = match self.done.report.transactions / conflicts {
            0 | 1 => String::new(),
            each => format!(", 1 for {} transactions", grouped(each)),
        };
        Some(format!("Attempts repeated because another transaction was in the way: {}{each}.", grouped(conflicts)))
    }

    fn audited(&self) -> Option<String> {
        let audit = self.done.audit?;
        let Outcome::Committed(sum) = self.done.report.outcome(audit.ticket) else { return None };
        let (sum, first, last) = (grouped(sum), audit.first, audit.last);
        Some(format!("The last audit in the batch saw {sum} on accounts {first} to {last}, all at one moment."))
    }

    fn proven(&self) -> Option<String> {
        Some(match self.done.report.serializable() {
            None => "Whether this is the outcome of a one-at-a-time order was not checked; --check does.".into(),
            Some(true) => "Checked: run one at a time in the order found, the transactions give exactly this.".into(),
            Some(false) => "THE CHECK FAILED: no one-at-a-time order gives this outcome.".into(),
        })
    }
}
