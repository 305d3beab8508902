//! The options from environment variables. The words of the command line choose tests, as in every test program.

use stm_tests::{SCENARIOS, Scenario};

/// The choice of what to run.
#[derive(Debug, Default)]
pub(crate) struct Options {
    /// `STM_TEST_DEVICE`: the only back end to run on.
    pub(crate) device: Option<String>,
    /// `STM_TEST_ENGINE`: the only engine to run; `default` for the default engine.
    pub(crate) engine: Option<String>,
    /// `STM_TEST_SEEDS`: the number of interleavings that fibers run.
    pub(crate) seeds: Option<u64>,
    /// `STM_TEST_SHARD`: the share of the scenarios to run, from 1, and the number of shares.
    shard: Option<(usize, usize)>,
}

impl Options {
    /// Reads the environment.
    ///
    /// # Errors
    /// A variable has an invalid value.
    pub(crate) fn from_environment() -> Result<Options, String> {
        let text = |name: &str| std::env::var(name).ok().filter(|text| !text.is_empty());
        let seeds = text("STM_TEST_SEEDS")
            .map(|text| text.parse().map_err(|_| format!("STM_TEST_SEEDS: `{text}` is not a number")));
        let shard = text("STM_TEST_SHARD").map(|text| shard(&text));
        Ok(Options {
            device: text("STM_TEST_DEVICE"),
            engine: text("STM_TEST_ENGINE"),
            seeds: seeds.transpose()?,
            shard: shard.transpose()?,
        })
    }

    /// Returns the scenarios: all, or every n-th of them.
    pub(crate) fn scenarios(&self) -> Vec<Scenario> {
        let (share, shares) = self.shard.unwrap_or((1, 1));
        SCENARIOS.iter().copied().skip(share - 1).step_by(shares).collect()
    }
}

/// Parses a share: `2/3` is the second of three.
fn shard(text: &str) -> Result<(usize, usize), String> {
    let numbers = text.split_once('/').and_then(|(share, shares)| Some((share.parse().ok()?, shares.parse().ok()?)));
    let is_share = |(share, shares): &(usize, usize)| (1..=*shares).contains(share);
    numbers.filter(is_share).ok_or(format!("STM_TEST_SHARD: `{text}` is not a share; use 1/3, 2/3 or 3/3"))
}
