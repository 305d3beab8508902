//! The options of a pipeline.

use std::time::Duration;

use crate::user::options::RunOptions;

/// When the batches of a [`Pipeline`](crate::Pipeline) run, and how.
///
/// ```
/// # use stm_runtime::{Error, PipelineOptions, prelude::*};
/// use std::time::Duration;
///
/// # fn main() -> Result<(), Error> {
/// let options = PipelineOptions::new().max_transactions(10_000).max_delay(Duration::from_micros(200));
/// let pipeline = Device::cpu(2).pipeline(options.run(RunOptions::new().order(stm_runtime::Order::Pushed)))?;
/// assert_eq!(pipeline.close()?.transactions, 0);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
#[must_use = "options do nothing until a pipeline has them"]
pub struct PipelineOptions {
    pub(super) max_transactions: usize,
    pub(super) max_delay: Duration,
    pub(super) run: RunOptions,
}

impl Default for PipelineOptions {
    fn default() -> PipelineOptions {
        PipelineOptions { max_transactions: 1 << 18, max_delay: Duration::from_millis(1), run: RunOptions::new() }
    }
}

impl PipelineOptions {
    /// Returns options of batches of at most 262,144 transactions, after at most a millisecond.
    pub fn new() -> PipelineOptions {
        PipelineOptions::default()
    }

    /// Sets the number of transactions with which a batch is full: it takes no more, and runs as soon as those before it have. 0 is an error of
    /// [`Device::pipeline`](crate::Device::pipeline).
    pub fn max_transactions(mut self, transactions: usize) -> PipelineOptions {
        self.max_transactions = transactions;
        self
    }

    /// Sets how long the first transaction of a batch waits for others. With no delay a batch leaves as soon as the device can take it, with
    /// what has come until then.
    pub fn max_delay(mut self, delay: Duration) -> PipelineOptions {
        self.max_delay = delay;
        self
    }

    /// Sets the options of the run of each batch. With [`Order::Pushed`](crate::Order::Pushed), the outcome is that of the order of the
    /// submissions, over all batches.
    pub fn run(mut self, options: RunOptions) -> PipelineOptions {
        self.run = options;
        self
    }
}
