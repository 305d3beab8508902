//! One scenario in one place.

use std::time::{Duration, Instant};

use stm_tests::failure::guarded;
use stm_tests::harness::{Completion, Failed};
use stm_tests::{Environment, Failure, Scenario, TestResult};

use crate::places::Place;

/// The result of a cell.
#[derive(Debug, Clone)]
pub(crate) struct Cell {
    /// The failure, with the environment in which it happened.
    failure: Option<(String, Failure)>,
    /// The duration.
    took: Duration,
}

impl Cell {
    /// Runs the scenario in every environment of the place; where it is its turn, also without recording.
    pub(crate) fn run(scenario: Scenario, place: &Place, is_turn: bool) -> Cell {
        let begin = Instant::now();
        let unchecked = place.unchecked.iter().filter(|_| is_turn);
        let failure = place.environments.iter().chain(unchecked).find_map(|environment| {
            let failure = attempt(scenario, environment).err()?;
            Some((environment.to_string(), failure))
        });
        Cell { failure, took: begin.elapsed() }
    }

    /// Returns true if the engine does not support the scenario's batches, and reported that.
    pub(crate) fn is_refused(&self) -> bool {
        matches!(self.failure, Some((_, Failure::Refused(_))))
    }

    pub(crate) fn is_failed(&self) -> bool {
        self.failure.is_some() && !self.is_refused()
    }

    /// Returns the result in a few words.
    pub(crate) fn text(&self) -> String {
        let word = self.failure.as_ref().map_or("pass", |(_, failure)| failure.word());
        if self.is_refused() { word.to_owned() } else { format!("{word} {:.1}s", self.took.as_secs_f64()) }
    }

    /// Returns the result for the test runner.
    pub(crate) fn completion(&self) -> Result<Completion, Failed> {
        match &self.failure {
            None => Ok(Completion::Completed),
            Some((_, Failure::Refused(why))) => Ok(Completion::ignored_with(format!("not supported: {why}"))),
            Some((environment, failure)) => Err(format!("{environment}: {failure}").into()),
        }
    }
}

/// Runs the scenario. Only engines that keep partitions in block memory may refuse one, and only if it has no partitions.
fn attempt(scenario: Scenario, environment: &Environment) -> TestResult {
    match guarded(|| (scenario.run)(environment)) {
        Err(Failure::Refused(why))
            if !environment.engine.spec().requires.partitions || scenario.name.starts_with("parts_") =>
        {
            Err(Failure::Error(why))
        }
        result => result,
    }
}
