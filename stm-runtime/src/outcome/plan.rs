//! The steps of a run for which the user chose no engine.

use std::fmt;
use std::time::Duration;

use super::launch::Algorithm;
use crate::digits::grouped;

/// What one place did of a batch.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct PlanStep {
    /// The algorithm that ran there.
    pub algorithm: Algorithm,
    /// The transactions that it finished.
    pub finished: u64,
    /// Its time, without copies and compiling.
    pub time: Duration,
    /// The transactions a second that were predicted, or measured before; 0 where there was no choice.
    pub predicted: f64,
    /// Whether it was left for another place, because it was slower than what was predicted for that one.
    pub was_left: bool,
    /// Why the host ran it, where the batch was too small for a launch and [`RunOptions::fallback`](crate::RunOptions::fallback) allowed
    /// that.
    pub fallback: Option<FallbackTimes>,
}

/// The predicted times of a small batch, with the moves of its arrays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct FallbackTimes {
    /// On a core of the host.
    pub on_host: Duration,
    /// On the device, with a launch.
    pub on_device: Duration,
}

impl PlanStep {
    /// Returns the transactions that it finished a second.
    #[must_use]
    pub fn rate(&self) -> f64 {
        let seconds = self.time.as_secs_f64();
        if seconds > 0.0 { self.finished as f64 / seconds } else { 0.0 }
    }
}

impl fmt::Display for PlanStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (finished, rate) = (grouped(self.finished), self.rate() / 1e6);
        write!(f, "{}: {finished} finished, {rate:.3} million a second", self.algorithm.name())?;
        if self.predicted > 0.0 {
            write!(f, ", predicted {:.3}", self.predicted / 1e6)?;
        }
        if let Some(FallbackTimes { on_host, on_device }) = self.fallback {
            write!(f, "; small: {on_host:.1?} predicted on the host, {on_device:.1?} with a launch")?;
        }
        f.write_str(if self.was_left { "; left for another place" } else { "" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Engine;

    #[test]
    fn a_step_says_what_it_did_and_whether_it_was_left() {
        let step = PlanStep {
            algorithm: Algorithm::CpuSerial { asked: Engine::default() },
            finished: 2000,
            time: Duration::from_millis(1),
            predicted: 4e6,
            was_left: true,
            fallback: None,
        };
        let text = "cpu-serial: 2,000 finished, 2.000 million a second, predicted 4.000; left for another place";
        assert_eq!(step.to_string(), text);
        let [on_host, on_device] = [2100, 30_500].map(Duration::from_nanos);
        let small = PlanStep { was_left: false, fallback: Some(FallbackTimes { on_host, on_device }), ..step };
        let text = "predicted 4.000; small: 2.1µs predicted on the host, 30.5µs with a launch";
        assert!(small.to_string().ends_with(text), "{small}");
        assert_eq!(PlanStep { time: Duration::ZERO, ..step }.rate(), 0.0);
    }
}
