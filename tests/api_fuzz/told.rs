//! What a batch was told about its runs, as the checks of its reports need it.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use stm_runtime::Engine;

/// What a progress function does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Progress {
    /// There is none.
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

/// The options of a batch that matter to what its reports may say.
#[derive(Debug, Clone)]
pub(crate) struct Told {
    /// The engines that may run; the first where nothing is measured.
    pub(crate) engines: Vec<Engine>,
    pub(crate) threads: Option<usize>,
    pub(crate) check: bool,
    pub(crate) profile: bool,
    pub(crate) pass_limit: Option<u64>,
    pub(crate) time_limit: Option<Duration>,
    pub(crate) stop: Option<Arc<AtomicBool>>,
    /// Somebody may set the stop flag during a run.
    pub(crate) may_be_stopped: bool,
    pub(crate) progress: Progress,
    /// The options whose values mean nothing: every run has to refuse them.
    pub(crate) refused: BTreeSet<&'static str>,
    /// Little block-shared memory was allowed.
    pub(crate) little_local_memory: bool,
}

impl Told {
    pub(crate) fn new(engines: &[Engine]) -> Told {
        Told {
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

    /// An option has a value that every run has to refuse, or one that it can take.
    pub(crate) fn option(&mut self, name: &'static str, is_refused: bool) {
        match is_refused {
            true => self.refused.insert(name),
            false => self.refused.remove(name),
        };
    }

    /// Nothing ends a run early.
    pub(crate) fn is_unlimited(&self) -> bool {
        self.pass_limit.is_none() && self.time_limit.is_none() && !self.can_be_stopped()
    }

    /// Somebody has set the stop flag, or may set it.
    pub(crate) fn can_be_stopped(&self) -> bool {
        let stop = self.stop.as_ref();
        stop.is_some_and(|stop| self.may_be_stopped || stop.load(Ordering::Relaxed))
    }

    /// Transactions run one at a time on a device of that many CPU threads.
    pub(crate) fn is_sequential(&self, threads: usize) -> bool {
        self.threads.unwrap_or(threads) == 1 || self.engines[0].spec().is_sequential()
    }
}
