//! What came of the tuning of an engine: what was chosen, why, and every measurement.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::engine::Engine;

/// An engine with the shape of its launches, and how it came to be chosen: [`Report::tuning`](crate::Report::tuning) after
/// a run with [`Selection::auto`](crate::Selection::auto).
///
/// `Display` prints every measurement as a table. A tuning can be [saved](Tuning::save), [loaded](Tuning::load), and given
/// to [`RunOptions::engine`](crate::RunOptions::engine), which then runs with it and measures nothing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Tuning {
    /// The engine.
    #[serde(with = "super::encoding::engine")]
    pub engine: Engine,
    /// Threads in flight; `None` leaves them to the device, which knows the batch.
    pub threads: Option<usize>,
    /// Active lanes of a warp; `None` leaves them to the device.
    pub lanes: Option<u32>,
    /// Elements under one lock word, where that is more than an array has by itself.
    pub coverage: Option<usize>,
    /// Why it was chosen.
    pub reason: String,
    /// The device on which it was chosen.
    pub device: String,
    /// Everything that was tried, in that order; empty where nothing was.
    pub trials: Vec<TuningTrial>,
}

/// One candidate with one chunk of the batch.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct TuningTrial {
    /// The engine.
    #[serde(with = "super::encoding::engine")]
    pub engine: Engine,
    /// Threads in flight; 0 where it did not come to a launch.
    pub threads: u64,
    /// Active lanes of a warp; 0 where it did not come to a launch.
    pub lanes: u32,
    /// Elements under one lock word, where that is more than an array has by itself.
    pub coverage: Option<usize>,
    /// The round, from 1: all engines briefly, the best of them at length, other shapes of the best.
    pub round: u32,
    /// Transactions that it began with, and that were not measured: what is cold comes before.
    pub warm_up: u64,
    /// Transactions that it was measured on. Those and the others are done for good, or left to the rest of the run.
    pub transactions: u64,
    /// How many of them it committed.
    pub committed: u64,
    /// Time of the kernels for them.
    #[serde(rename = "kernel_seconds", with = "super::encoding::seconds")]
    pub kernel: Duration,
    /// Time for making its kernel, or for finding it in the cache. It does not count against it.
    #[serde(rename = "compile_seconds", with = "super::encoding::seconds")]
    pub compile: Duration,
    /// How it ended.
    pub ended: TrialStatus,
}

/// How a trial ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum TrialStatus {
    /// It has done what can be done of its chunk, or what nobody does much faster.
    Measured,
    /// It took too long for its chunk, or there was no time for it.
    GivenUp(String),
    /// It cannot run this batch.
    Refused(String),
}

impl TuningTrial {
    /// Commits for each second of kernel time, on this chunk.
    #[must_use]
    pub fn rate(&self) -> f64 {
        let seconds = self.kernel.as_secs_f64();
        if seconds > 0.0 { self.committed as f64 / seconds } else { 0.0 }
    }
}

impl Tuning {
    /// A tuning without measurements.
    pub(crate) fn unmeasured(engine: Engine, device: &str, reason: &str) -> Tuning {
        let (reason, device) = (reason.to_owned(), device.to_owned());
        Tuning { engine, threads: None, lanes: None, coverage: None, reason, device, trials: Vec::new() }
    }
}
