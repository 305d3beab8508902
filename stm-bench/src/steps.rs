//! The steps of a plan, as they are stored.

use serde::{Deserialize, Serialize};
use stm_runtime::Report;
use stm_runtime::report::PlanStep;

/// What one method of the plan did in a run. Times are seconds.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Step {
    /// The method.
    pub method: String,
    /// The algorithm that ran.
    pub algorithm: String,
    /// Why the plan has chosen it.
    pub reason: String,
    /// The transactions without an outcome when it began.
    pub given: u64,
    /// Those that it finished.
    pub finished: u64,
    /// Its time.
    pub time: f64,
    /// The time that was predicted for all that it was given, if there was a prediction.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub predicted: Option<f64>,
    /// Whether it was left for another place.
    #[serde(default)]
    pub left: bool,
}

impl Step {
    fn of(step: &PlanStep) -> Step {
        Step {
            method: step.method.to_string(),
            algorithm: step.algorithm.name(),
            reason: step.reason.to_string(),
            given: step.given,
            finished: step.finished,
            time: step.time.as_secs_f64(),
            predicted: step.predicted_time().map(|time| time.as_secs_f64()),
            left: step.was_left,
        }
    }
}

/// Returns the steps of a run.
pub(crate) fn of(report: &Report) -> Vec<Step> {
    report.steps().iter().map(Step::of).collect()
}
