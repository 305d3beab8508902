//! The command line: that of Rust's own test harness as far as it makes sense here, and what only this suite has.

use stm_tests::{SCENARIOS, Scenario};

/// What to run.
#[derive(Debug, Default)]
pub(crate) struct Options {
    /// Parts of names; a scenario with any of them runs. Empty for all.
    filters: Vec<String>,
    /// Names must be whole.
    exact: bool,
    /// Print the names and do nothing.
    pub(crate) list: bool,
    /// Scenarios at a time, where the place can have several.
    pub(crate) jobs: Option<usize>,
    /// `STM_TEST_DEVICE`: the only back end to run on.
    pub(crate) device: Option<String>,
    /// `STM_TEST_ENGINE`: the only engine to run.
    pub(crate) engine: Option<String>,
    /// `STM_TEST_SEEDS`: how many interleavings fibers try.
    pub(crate) seeds: Option<u64>,
    /// `STM_TEST_SHARD`: which of how many shares of the scenarios to run, from 1.
    shard: Option<(usize, usize)>,
}

impl Options {
    pub(crate) fn from_arguments(arguments: impl Iterator<Item = String>) -> Result<Options, String> {
        let device = std::env::var("STM_TEST_DEVICE").ok().filter(|name| !name.is_empty());
        let engine = std::env::var("STM_TEST_ENGINE").ok().filter(|name| !name.is_empty());
        let seeds = match std::env::var("STM_TEST_SEEDS") {
            Ok(text) => Some(text.parse().map_err(|_| format!("STM_TEST_SEEDS: `{text}` is no number"))?),
            Err(_) => None,
        };
        let shard = std::env::var("STM_TEST_SHARD").ok().map(|text| shard(&text)).transpose()?;
        let mut options = Options { device, engine, seeds, shard, ..Options::default() };
        let mut arguments = arguments;
        while let Some(argument) = arguments.next() {
            match argument.as_str() {
                "--list" => options.list = true,
                "--exact" => options.exact = true,
                "--test-threads" | "--format" | "--color" | "-Z" | "--skip" => {
                    let value = arguments.next();
                    if argument == "--test-threads" {
                        options.jobs = value.and_then(|text| text.parse().ok());
                    }
                }
                // `--nocapture`, `--ignored` and whatever else a harness understands: nothing to do here.
                flag if flag.starts_with('-') => {
                    if let Some(number) = flag.strip_prefix("--test-threads=") {
                        options.jobs = number.parse().ok();
                    }
                }
                _ => options.filters.push(argument),
            }
        }
        Ok(options)
    }

    /// The scenarios that the filters leave, or every n-th of them.
    pub(crate) fn scenarios(&self) -> Vec<Scenario> {
        let wanted = |name: &str| {
            let matches = |filter: &String| if self.exact { name == filter } else { name.contains(filter.as_str()) };
            self.filters.is_empty() || self.filters.iter().any(matches)
        };
        let (share, shares) = self.shard.unwrap_or((1, 1));
        let all = SCENARIOS.iter().copied().filter(|scenario| wanted(scenario.name));
        all.skip(share - 1).step_by(shares).collect()
    }
}

/// `2/3` is the second of three shares.
fn shard(text: &str) -> Result<(usize, usize), String> {
    let numbers = text.split_once('/').and_then(|(share, shares)| Some((share.parse().ok()?, shares.parse().ok()?)));
    let is_share = |(share, shares): &(usize, usize)| (1..=*shares).contains(share);
    numbers.filter(is_share).ok_or(format!("STM_TEST_SHARD: `{text}` is none; use 1/3, 2/3 or 3/3"))
}
