//! The result: for people, and for programs.

use std::process::ExitCode;

use examples::{grouped, millions};
use gpu_transactions::Totals;
use serde::Serialize;

use crate::cli::Args;
use crate::latency::Percentiles;

/// What the service has done.
pub(crate) struct Summary {
    pub(crate) device: String,
    /// Transfers that the threads have submitted.
    pub(crate) submitted: u64,
    pub(crate) totals: Totals,
    /// From the first submission to the last outcome.
    pub(crate) seconds: f64,
    pub(crate) latency: Percentiles,
    /// All money, before and after.
    pub(crate) money: [i64; 2],
    pub(crate) is_interrupted: bool,
}

/// The one object that `--json` prints.
#[derive(Serialize)]
struct Object<'a> {
    device: &'a str,
    threads: u32,
    list: u32,
    accounts: u32,
    max_transactions: u32,
    /// Microseconds.
    max_delay: u64,
    seconds: f64,
    submitted: u64,
    batches: u64,
    committed: u64,
    rejected: u64,
    unresolved: u64,
    /// Outcomes per second.
    rate: f64,
    /// Milliseconds from submission to outcome, of some transfers.
    latency: Percentiles,
    total_before: i64,
    total_after: i64,
}

impl Summary {
    fn is_right(&self) -> bool {
        self.money[0] == self.money[1] && self.submitted == self.totals.committed + self.totals.rejected
    }

    fn rate(&self) -> f64 {
        self.totals.transactions as f64 / self.seconds.max(f64::MIN_POSITIVE)
    }

    pub(crate) fn exit_code(&self) -> ExitCode {
        match (self.is_right(), self.is_interrupted) {
            (false, _) => ExitCode::from(1),
            // The status that shells report for a program that Ctrl-C ended.
            (true, true) => ExitCode::from(130),
            (true, false) => ExitCode::SUCCESS,
        }
    }

    pub(crate) fn json(&self, args: &Args) -> Result<String, serde_json::Error> {
        let Summary { totals, latency, .. } = self;
        examples::json(&Object {
            device: &self.device,
            threads: args.threads,
            list: args.list,
            accounts: args.accounts,
            max_transactions: args.max_transactions,
            max_delay: args.max_delay,
            seconds: self.seconds,
            submitted: self.submitted,
            batches: totals.batches,
            committed: totals.committed,
            rejected: totals.rejected,
            unresolved: totals.unresolved,
            rate: self.rate(),
            latency: *latency,
            total_before: self.money[0],
            total_after: self.money[1],
        })
    }

    /// Returns the result in sentences.
    pub(crate) fn text(&self) -> String {
        let Summary { totals, latency, .. } = self;
        let [before, after] = self.money.map(grouped);
        let is_right = if self.is_right() { "All money and every transfer is there" } else { "SOMETHING IS WRONG" };
        format!(
            "- {} transfers in {:.2} s, in {} batches: {} million a second.\n\
             - From the submission to the outcome: half of them within {:.3} ms, 90 of 100 within {:.3}, 99 within {:.3}, 999 of 1,000 \
             within {:.3}, all within {:.3} (of {} that were measured).\n\
             - {} committed, {} gave up because the money was not there.\n\
             - {is_right}: {before} before and {after} after, {} transfers submitted.\n",
            grouped(totals.transactions),
            self.seconds,
            grouped(totals.batches),
            millions(self.rate()),
            latency.p50,
            latency.p90,
            latency.p99,
            latency.p999,
            latency.max,
            grouped(latency.samples as u64),
            grouped(totals.committed),
            grouped(totals.rejected),
            grouped(self.submitted),
        )
    }
}
