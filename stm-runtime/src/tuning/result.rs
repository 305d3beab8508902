//! The result of tuning an engine: the choice, its reason, and every measurement.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::engine::Engine;

/// An engine with the shape of its launches, and how it was chosen: [`Report::tuning`](crate::Report::tuning) after
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
    /// Elements under one lock word, if more than the arrays' own coverage.
    pub coverage: Option<usize>,
    /// Why it was chosen.
    pub reason: String,
    /// The device on which it was chosen.
    pub device: String,
    /// All trials, in order; empty where nothing was measured.
    pub trials: Vec<TuningTrial>,
}

/// The trial of one candidate on one chunk of the batch.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct TuningTrial {
    /// The engine.
    #[serde(with = "super::encoding::engine")]
    pub engine: Engine,
    /// Threads in flight; 0 if nothing was launched.
    pub threads: u64,
    /// Active lanes of a warp; 0 if nothing was launched.
    pub lanes: u32,
    /// Elements under one lock word, if more than the arrays' own coverage.
    pub coverage: Option<usize>,
    /// The round, from 1: all engines on short chunks, the best of them on long ones, other shapes of the best.
    pub round: u32,
    /// Transactions that ran first and were not measured, to warm up caches, clocks and code.
    pub warm_up: u64,
    /// Measured transactions. Unfinished ones, measured or not, are left to the rest of the run.
    pub transactions: u64,
    /// The number of measured transactions that committed.
    pub committed: u64,
    /// Time of the kernels for them.
    #[serde(rename = "kernel_seconds", with = "super::encoding::seconds")]
    pub kernel: Duration,
    /// Time for compiling its kernel, or for finding it in the cache. It does not affect the rate.
    #[serde(rename = "compile_seconds", with = "super::encoding::seconds")]
    pub compile: Duration,
    /// The status at the end.
    pub ended: TrialStatus,
}

/// The status of a trial at its end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum TrialStatus {
    /// The candidate finished its chunk as far as possible, or ran until no other candidate would be much faster.
    Measured,
    /// The candidate took too long for its chunk, or there was no time for it.
    GivenUp(String),
    /// The engine cannot run this batch.
    Refused(String),
}

impl TuningTrial {
    /// Returns the commits per second of kernel time, on this chunk.
    #[must_use]
    pub fn rate(&self) -> f64 {
        let seconds = self.kernel.as_secs_f64();
        if seconds > 0.0 { self.committed as f64 / seconds } else { 0.0 }
    }
}

impl Tuning {
    /// Returns a tuning without measurements.
    pub(crate) fn unmeasured(engine: Engine, device: &str, reason: &str) -> Tuning {
        let (reason, device) = (reason.to_owned(), device.to_owned());
        Tuning { engine, threads: None, lanes: None, coverage: None, reason, device, trials: Vec::new() }
    }
}
