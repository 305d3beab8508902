//! The steps of a run for which the user chose no engine.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::launch::Algorithm;
use crate::digits::grouped;
use crate::engine::Engine;
use crate::tuning::encoding;

/// What one method did of a batch.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct PlanStep {
    /// The method, by the name that [`Selection::plan_of`](crate::Selection::plan_of) knows.
    #[serde(with = "encoding::engine")]
    pub method: Engine,
    /// The algorithm that ran.
    pub algorithm: Algorithm,
    /// Why it was chosen.
    pub reason: PlanReason,
    /// The transactions without an outcome when it began.
    pub given: u64,
    /// The transactions that it finished.
    pub finished: u64,
    /// Its time, without copies and compiling.
    #[serde(rename = "seconds", with = "encoding::seconds")]
    pub time: Duration,
    /// The transactions a second that were predicted for the place where it ran, or measured before; 0 where there was no prediction.
    pub predicted: f64,
    /// Whether it was left for another place, because it was slower than what was predicted for that one.
    pub was_left: bool,
    /// The predicted times, where the batch was too small for a launch and [`RunOptions::fallback`](crate::RunOptions::fallback) allowed
    /// that the host runs it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fallback: Option<FallbackTimes>,
}

/// Why a plan has chosen a method.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum PlanReason {
    /// Some transactions write nothing: they run while no element changes.
    WriteNothing,
    /// The order of most transactions does not matter, and they change few elements, for the threads of the device or beside their own number.
    FewElements,
    /// The order of most transactions does not matter, and many of them change the same elements.
    HotElements,
    /// Some procedures are long, and what most transactions access is known before they run.
    LongTransactions,
    /// All writes add to elements of which no transaction needs the value, and these are many.
    OnlyAdd,
    /// What most transactions access is known before they run, and locks are predicted to be slower.
    LocksPredictedSlower,
    /// It keeps push order. Where no engine was chosen, it is predicted to be faster than the host.
    KeepsOrder,
    /// No other method suits, or no other one is allowed.
    NothingElse,
    /// The batch is too small for a launch.
    SmallBatch,
    /// The host is predicted to be faster than the device.
    PredictedFaster,
    /// Another place was slower than what is predicted here, in this run or in an earlier one.
    OtherSlower,
    /// The step before has left these transactions.
    LeftOver,
    /// A run on CPU threads begins with it, and had no time for a trial of another one.
    First,
    /// It was faster than the other one in a trial.
    MeasuredFaster,
    /// It was tried, and the other one was faster.
    Trial,
}

/// The predicted times of a small batch, with the moves of its arrays.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct FallbackTimes {
    /// On a core of the host.
    #[serde(rename = "on_host_seconds", with = "encoding::seconds")]
    pub on_host: Duration,
    /// On the device, with a launch.
    #[serde(rename = "on_device_seconds", with = "encoding::seconds")]
    pub on_device: Duration,
}

impl PlanStep {
    /// Returns a step that has done nothing.
    pub(crate) fn new(method: Engine, algorithm: Algorithm, reason: PlanReason) -> PlanStep {
        PlanStep {
            method,
            algorithm,
            reason,
            given: 0,
            finished: 0,
            time: Duration::ZERO,
            predicted: 0.0,
            was_left: false,
            fallback: None,
        }
    }

    /// Returns the transactions that it finished a second.
    #[must_use]
    pub fn rate(&self) -> f64 {
        let seconds = self.time.as_secs_f64();
        if seconds > 0.0 { self.finished as f64 / seconds } else { 0.0 }
    }

    /// Returns the time that was predicted for all transactions that it was given, if there was a prediction.
    #[must_use]
    pub fn predicted_time(&self) -> Option<Duration> {
        let seconds = (self.predicted > 0.0).then(|| self.given as f64 / self.predicted)?;
        Duration::try_from_secs_f64(seconds).ok()
    }
}

impl fmt::Display for PlanStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (finished, given) = (grouped(self.finished), grouped(self.given));
        match self.algorithm {
            Algorithm::Gpu(_) => write!(f, "{}", self.method)?,
            of_host => write!(f, "{} ({})", self.method, of_host.name())?,
        }
        write!(f, ": {finished} of {given} in {:.1?}, {:.3} million a second", self.time, self.rate() / 1e6)?;
        if let Some(time) = self.predicted_time() {
            write!(f, ", predicted {:.3} ({time:.1?} for all)", self.predicted / 1e6)?;
        }
        write!(f, "; {}", self.reason)?;
        if let Some(FallbackTimes { on_host, on_device }) = self.fallback {
            write!(f, ": {on_host:.1?} predicted on the host, {on_device:.1?} with a launch")?;
        }
        f.write_str(if self.was_left { "; left for another place" } else { "" })
    }
}

impl fmt::Display for PlanReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            PlanReason::WriteNothing => "some transactions write nothing",
            PlanReason::FewElements => "their order does not matter, and they change few elements",
            PlanReason::HotElements => "their order does not matter, and many change the same elements",
            PlanReason::LongTransactions => "some are long, and their accesses are known before they run",
            PlanReason::OnlyAdd => "they only add, and to many elements",
            PlanReason::LocksPredictedSlower => {
                "their accesses are known before they run, and locks are predicted to be slower"
            }
            PlanReason::KeepsOrder => "it keeps push order",
            PlanReason::NothingElse => "no other method suits",
            PlanReason::SmallBatch => "too small for a launch",
            PlanReason::PredictedFaster => "predicted to be faster than the device",
            PlanReason::OtherSlower => "another place was slower",
            PlanReason::LeftOver => "what the step before has left",
            PlanReason::First => "a run begins with it",
            PlanReason::MeasuredFaster => "faster than the other one in a trial",
            PlanReason::Trial => "a trial, in which the other one was faster",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_says_what_it_did_and_why_and_whether_it_was_left() {
        let [method, asked] = ["serial", "priority"].map(|name| name.parse().unwrap());
        let step = PlanStep {
            given: 8000,
            finished: 2000,
            time: Duration::from_millis(1),
            predicted: 4e6,
            was_left: true,
            ..PlanStep::new(method, Algorithm::CpuSerial { asked }, PlanReason::PredictedFaster)
        };
        let text = "serial (cpu-serial): 2,000 of 8,000 in 1.0ms, 2.000 million a second, predicted 4.000 (2.0ms for all); \
                    predicted to be faster than the device; left for another place";
        assert_eq!(step.to_string(), text);
        let [on_host, on_device] = [2100, 30_500].map(Duration::from_nanos);
        let fallback = Some(FallbackTimes { on_host, on_device });
        let small = PlanStep { was_left: false, fallback, reason: PlanReason::SmallBatch, ..step };
        let text = "; too small for a launch: 2.1µs predicted on the host, 30.5µs with a launch";
        assert!(small.to_string().ends_with(text), "{small}");
        let idle = PlanStep { time: Duration::ZERO, predicted: 0.0, algorithm: Algorithm::Gpu(method), ..step };
        assert_eq!((idle.rate(), idle.predicted_time()), (0.0, None));
        assert!(idle.to_string().starts_with("serial: 2,000 of 8,000 in"), "{idle}");
    }
}
