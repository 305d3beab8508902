//! What many runs of the same batch took: the first one compiles, and is left out.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::Serialize;

use crate::summary::Done;

/// The times of the runs after the first one.
#[derive(Debug, Default)]
pub(crate) struct Runs {
    whole: Vec<Duration>,
    parts: BTreeMap<&'static str, Vec<Duration>>,
}

/// Seconds of these runs.
#[derive(Debug, Serialize)]
pub(crate) struct RunTimes {
    runs: usize,
    /// From the lists of arguments to the report, without compilation: of the middle run, and of the one that 99 of 100 do not exceed.
    median: f64,
    p99: f64,
    least: f64,
    /// The median of each part of a run.
    median_parts: BTreeMap<&'static str, f64>,
}

impl Runs {
    /// Adds a run.
    pub(crate) fn add(&mut self, done: &Done) {
        self.whole.push(done.end_to_end());
        for (part, time) in done.report.times.by_part() {
            self.parts.entry(part).or_default().push(time);
        }
    }

    /// Returns the times; `None` if there was no such run.
    pub(crate) fn times(&self) -> Option<RunTimes> {
        let median_parts = self.parts.iter().filter_map(|(part, times)| Some((*part, at(times, 50)?))).collect();
        Some(RunTimes {
            runs: self.whole.len(),
            median: at(&self.whole, 50)?,
            p99: at(&self.whole, 99)?,
            least: at(&self.whole, 0)?,
            median_parts,
        })
    }
}

/// Returns the seconds that this percentage of the times does not exceed.
fn at(times: &[Duration], percent: usize) -> Option<f64> {
    let mut sorted = times.to_vec();
    sorted.sort_unstable();
    let last = sorted.len().checked_sub(1)?;
    Some(sorted[(sorted.len() * percent / 100).min(last)].as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_middle_and_the_slowest_of_a_hundred_are_found() {
        let times: Vec<Duration> = (0..200).rev().map(Duration::from_secs).collect();
        assert_eq!([0, 50, 99, 100].map(|percent| at(&times, percent)), [0.0, 100.0, 198.0, 199.0].map(Some));
        assert_eq!(at(&[], 50), None);
    }
}
