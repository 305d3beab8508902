//! The ranges of the options of batches and devices.

use crate::backend::JobOptions;
use crate::error::Error;

/// The most CPU threads of a run.
pub(crate) const MOST_CPU_THREADS: usize = 1024;
/// The lanes of a warp.
const LANES: u64 = 32;

/// Refuses options with meaningless values. `most_threads` is the limit of the device.
pub(crate) fn check(options: &JobOptions, most_threads: u64) -> Result<(), Error> {
    within("threads", options.threads.map(|threads| threads as u64), 1, most_threads)?;
    within("lanes", options.lanes.map(u64::from), 1, LANES)?;
    within("block_memory", options.block_memory.map(|bytes| bytes as u64), 1, u64::MAX)?;
    within("pass_limit", options.pass_limit, 1, u64::MAX)?;
    within("chunk_size", options.chunk_size.map(|transactions| transactions as u64), 1, u64::MAX)
}

/// Refuses a number of CPU threads that no run can have. 0 stands for one thread for each core.
pub(crate) fn check_cpu_threads(threads: usize) -> Result<(), Error> {
    within("threads of a CPU device", Some(threads as u64), 0, MOST_CPU_THREADS as u64)
}

fn within(option: &'static str, value: Option<u64>, least: u64, most: u64) -> Result<(), Error> {
    match value {
        Some(value) if value < least || value > most => Err(Error::OptionValue { option, value, least, most }),
        _ => Ok(()),
    }
}
