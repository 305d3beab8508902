//! The options for running a batch, which all benchmarks share.

use std::ops::RangeInclusive;
use std::time::Duration;

use clap::Args;
use serde::{Deserialize, Serialize};
use stm_runtime::RunOptions;

use crate::contender::Contender;

/// The options of a measurement.
#[derive(Debug, Clone, PartialEq, Args, Serialize, Deserialize)]
#[serde(default)]
pub struct Options {
    /// Transactions in the batch
    #[arg(long, value_name = "N", default_value_t = 1_000_000)]
    pub transactions: u64,

    /// Seed of the state and of the transactions; the same seed makes the same batch
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,

    /// Runs that count, each on a state made anew
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
    pub runs: u32,

    /// Runs before them that do not count
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub warmup: u32,

    /// Threads in flight: GPU threads, or CPU threads [default: chosen by the device]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub threads: Option<u32>,

    /// Lanes of each GPU warp that work, 1 to 32 [default: chosen by the device]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=32))]
    pub lanes: Option<u32>,

    /// The most seconds for one run; a run that takes longer is kept as timed out
    #[arg(long, value_name = "SECONDS", default_value_t = 120, value_parser = clap::value_parser!(u32).range(1..))]
    pub time_limit: u32,

    /// Record what every transaction reads and writes, and prove each outcome that of a one-at-a-time order; costs time
    #[arg(long)]
    pub check: bool,

    /// Add up where the time of GPU threads goes, by phase of an attempt; costs time, and measures nothing on CPU threads
    #[arg(long)]
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub phases: bool,

    /// Count the conflicts by source line, element and function; costs time
    #[arg(long)]
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub profile: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            transactions: 1_000_000,
            seed: 1,
            runs: 5,
            warmup: 1,
            threads: None,
            lanes: None,
            time_limit: 120,
            check: false,
            phases: false,
            profile: false,
        }
    }
}

/// The options that can be an axis of a sweep.
pub(crate) const AXES: [&str; 4] = ["transactions", "threads", "lanes", "seed"];

impl Options {
    /// Sets one of [`AXES`]; `None` for any other name.
    pub(crate) fn set(&mut self, name: &str, value: &str) -> Option<Result<(), String>> {
        let wrong = |_| format!("`{value}` is no number for `{name}`");
        let within = |range: RangeInclusive<u32>| match value.parse::<u32>().map_err(wrong)? {
            number if range.contains(&number) => Ok(Some(number)),
            _ => {
                Err(format!("`{name}` cannot be {value}; use a whole number from {} to {}", range.start(), range.end()))
            }
        };
        Some(match name {
            "transactions" => value.parse().map(|n| self.transactions = n).map_err(wrong),
            "seed" => value.parse().map(|n| self.seed = n).map_err(wrong),
            "threads" => within(1..=u32::MAX).map(|n| self.threads = n),
            "lanes" => within(1..=32).map(|n| self.lanes = n),
            _ => return None,
        })
    }

    /// Returns the options of a run under an engine.
    pub(crate) fn of_run(&self, engine: Contender) -> RunOptions {
        let options = engine
            .options()
            .check(self.check)
            .phases(self.phases)
            .profile(self.profile)
            .seed(self.seed)
            .time_limit(Duration::from_secs(self.time_limit.into()));
        let options = self.threads.iter().fold(options, |options, threads| options.threads(*threads as usize));
        self.lanes.iter().fold(options, |options, lanes| options.lanes(*lanes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_defaults_of_the_command_line_are_those_of_the_type() {
        let command = Options::augment_args(clap::Command::new("options"));
        let matches = command.try_get_matches_from(["options"]).unwrap();
        assert_eq!(<Options as clap::FromArgMatches>::from_arg_matches(&matches).unwrap(), Options::default());
    }

    #[test]
    fn every_axis_can_be_set() {
        let mut options = Options::default();
        for name in AXES {
            assert_eq!(options.set(name, "7"), Some(Ok(())));
            assert!(options.set(name, "many").is_some_and(|set| set.is_err()));
        }
        assert_eq!((options.transactions, options.seed, options.threads, options.lanes), (7, 7, Some(7), Some(7)));
        for (name, value) in [("threads", "0"), ("lanes", "0"), ("lanes", "33")] {
            let error = options.set(name, value).unwrap().unwrap_err();
            assert!(error.contains(name) && error.contains(value) && error.contains("from 1"), "{error}");
        }
        assert_eq!((options.threads, options.lanes), (Some(7), Some(7)));
        assert_eq!(options.set("colour", "7"), None);
    }
}
