//! The reasons why a scenario failed.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};

use stm_runtime::{Error, GpuError};

/// What was wrong, in the order of the checks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Failure {
    /// The engine refused the batch, because it supports only other batches.
    Refused(String),
    /// The run ended with an error.
    Error(String),
    /// The run made no more progress, or did not end.
    Stuck(String),
    /// The proof found no serial order.
    History(String),
    /// The outcomes or the final values are not those that the scenario expects.
    Outcome(String),
}

/// The result of a scenario.
pub type TestResult = Result<(), Failure>;

impl Failure {
    /// Returns the failure in one word.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self {
            Failure::Refused(_) => "not supported",
            Failure::Error(_) => "error",
            Failure::Stuck(_) => "stuck",
            Failure::History(_) => "history",
            Failure::Outcome(_) => "outcome",
        }
    }

    /// Returns the explanation.
    #[must_use]
    pub fn text(&self) -> &str {
        match self {
            Failure::Refused(text)
            | Failure::Error(text)
            | Failure::Stuck(text)
            | Failure::History(text)
            | Failure::Outcome(text) => text,
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.word(), self.text())
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        let text = error.to_string();
        match error {
            Error::Gpu(GpuError::StepLimit { .. } | GpuError::NoProgress { .. }) => Failure::Stuck(text),
            Error::Gpu(GpuError::NotInParts { .. }) => Failure::Refused(text),
            _ => Failure::Error(text),
        }
    }
}

/// Runs a test. A panic is a failure with its message.
pub fn guarded(test: impl FnOnce() -> TestResult) -> TestResult {
    catch_unwind(AssertUnwindSafe(test)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().cloned();
        let text = text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()));
        Err(Failure::Error(format!("panicked: {}", text.unwrap_or_default())))
    })
}

/// Ends the scenario unless the condition holds.
#[macro_export]
macro_rules! expect {
    ($condition:expr, $($text:tt)+) => {
        if !$condition {
            return Err($crate::failure::Failure::Outcome(format!($($text)+)));
        }
    };
}

/// Ends the scenario unless both are equal.
#[macro_export]
macro_rules! expect_eq {
    ($left:expr, $right:expr, $($text:tt)+) => {{
        let (left, right) = (&$left, &$right);
        if left != right {
            let what = format!($($text)+);
            return Err($crate::failure::Failure::Outcome(format!("{what}: {left:?}, not {right:?}")));
        }
    }};
}

/// Ends the scenario unless all of these calls have committed with that result.
#[macro_export]
macro_rules! expect_all {
    ($report:expr, $tickets:expr, $result:expr, $($text:tt)+) => {
        for ticket in $tickets {
            $crate::expect_eq!($report.outcome(ticket), stm_runtime::Outcome::Committed($result), $($text)+);
        }
    };
}
