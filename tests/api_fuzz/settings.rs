//! The options of a batch, as the checks of its reports need them.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use stm_runtime::Engine;

/// The behaviour of a progress function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Progress {
    /// There is no progress function.
    Nothing,
    /// Reads the clock.
    Looks,
    /// Reads an array of the batch, which must be refused.
    ReadsOwn,
    /// Reads arrays that the batch does not use, and runs a batch of its own.
    UsesOthers,
    /// Sets the stop flag.
    Stops,
    /// Panics.
    Panics,
}

/// The options of a batch that affect its reports.
#[derive(Debug, Clone)]
pub(crate) struct Settings {
    /// The engines that may run; the first one where nothing is tuned.
    pub(crate) engines: Vec<Engine>,
    pub(crate) threads: Option<usize>,
    pub(crate) check: bool,
    pub(crate) profile: bool,
    pub(crate) pass_limit: Option<u64>,
    pub(crate) time_limit: Option<Duration>,
    pub(crate) stop: Option<Arc<AtomicBool>>,
    /// Whether another thread may set the stop flag during a run.
    pub(crate) may_be_stopped: bool,
    pub(crate) progress: Progress,
    /// The options with invalid values: every run has to refuse them.
    pub(crate) refused: BTreeSet<&'static str>,
    /// Whether the limit of block memory is small.
    pub(crate) little_local_memory: bool,
}

impl Settings {
    pub(crate) fn new(engines: &[Engine]) -> Settings {
        Settings {
            engines: engines.to_vec(),
            threads: None,
            check: false,
            profile: false,
            pass_limit: None,
            time_limit: None,
            stop: None,
            may_be_stopped: false,
            progress: Progress::Nothing,
            refused: BTreeSet::new(),
            little_local_memory: false,
        }
    }

    /// Notes the value of an option, which every run has to refuse if `is_refused`.
    pub(crate) fn option(&mut self, name: &'static str, is_refused: bool) {
        match is_refused {
            true => self.refused.insert(name),
            false => self.refused.remove(name),
        };
    }

    /// Returns true if nothing ends a run early.
    pub(crate) fn is_unlimited(&self) -> bool {
        self.pass_limit.is_none() && self.time_limit.is_none() && !self.can_be_stopped()
    }

    /// Returns true if the stop flag is set, or may be set.
    pub(crate) fn can_be_stopped(&self) -> bool {
        let stop = self.stop.as_ref();
        stop.is_some_and(|stop| self.may_be_stopped || stop.load(Ordering::Relaxed))
    }

    /// Returns true if transactions run one at a time on a device of that many CPU threads.
    pub(crate) fn is_sequential(&self, threads: usize) -> bool {
        self.threads.unwrap_or(threads) == 1 || self.engines[0].spec().is_sequential()
    }
}
