//! The options of a run.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use crate::backend::Options;
use crate::progress::Progress;
use crate::tuning::Selection;

/// Whether a run is proved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Check {
    /// No history is recorded.
    #[default]
    Off,
    /// The run records what every transaction reads and writes. Afterwards it proves that the outcome is that of a
    /// one-at-a-time order. Costs time and memory.
    Serializability,
}

/// Whether a run counts its conflicts by source line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Profile {
    /// Conflicts are counted by cause alone.
    #[default]
    Off,
    /// Conflicts are counted by the source line of the access too:
    /// [`Report::conflict_locations`](crate::Report::conflict_locations).
    SourceLines,
}

/// Whether a run measures where the time of the device's threads goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum PhaseTimes {
    /// The kernel reads no clock.
    #[default]
    Off,
    /// The threads read a clock a few times in each attempt: [`Report::phases`](crate::Report::phases).
    On,
}

impl From<bool> for Check {
    fn from(check: bool) -> Check {
        if check { Check::Serializability } else { Check::Off }
    }
}

impl From<bool> for Profile {
    fn from(profile: bool) -> Profile {
        if profile { Profile::SourceLines } else { Profile::Off }
    }
}

impl From<bool> for PhaseTimes {
    fn from(phases: bool) -> PhaseTimes {
        if phases { PhaseTimes::On } else { PhaseTimes::Off }
    }
}

/// How a batch is run: [`Batch::run_with`](crate::Batch::run_with) takes it. What is not set is left to the device.
///
/// ```
/// # use stm_runtime::prelude::*;
/// use std::time::Duration;
///
/// # fn main() -> Result<(), Error> {
/// let options = RunOptions::new().check(true).threads(2).time_limit(Duration::from_secs(10));
/// let report = Device::cpu(4).batch().run_with(&options)?;
/// assert_eq!(report.serializable(), Some(true));
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Default)]
#[must_use = "options do nothing until a batch runs with them"]
pub struct RunOptions {
    /// `None` for the engine of the device handle.
    engine: Option<Selection>,
    /// Everything but the engine.
    options: Options,
}

impl RunOptions {
    /// Returns options that leave everything to the device.
    pub fn new() -> RunOptions {
        RunOptions::default()
    }

    /// Sets the concurrency control: an [`Engine`](crate::Engine), [`Selection::auto`] for a measured tuning, or a
    /// [`Tuning`](crate::Tuning) that was made before. On CPU threads only `serial` makes a difference. Where it is not set,
    /// the engine is that of the device handle: [`Device::with_engine`](crate::Device::with_engine).
    pub fn engine(mut self, engine: impl Into<Selection>) -> RunOptions {
        self.engine = Some(engine.into());
        self
    }

    /// Proves the run, or not: `true` is [`Check::Serializability`].
    pub fn check(mut self, check: impl Into<Check>) -> RunOptions {
        self.options.check = check.into() == Check::Serializability;
        self
    }

    /// Sets the threads in flight: device threads on a GPU, workers on a CPU. Fewer can be faster where transactions collide. No
    /// more run than a GPU holds, or than there are transactions; [`Report::shape`](crate::Report::shape) tells how many did. 0,
    /// or more than 1,024 on a CPU, are an error of the run.
    pub fn threads(mut self, threads: usize) -> RunOptions {
        self.options.threads = Some(threads);
        self
    }

    /// Sets the active lanes of a warp, 1 to 32; another number is an error of the run. No effect on a CPU.
    pub fn lanes(mut self, lanes: u32) -> RunOptions {
        self.options.lanes = Some(lanes);
        self
    }

    /// Sets the bytes of block-shared memory that an engine may take which keeps parts of arrays there. The default is 48 KiB, the
    /// limit what the device gives a block. More memory a block means fewer blocks at a time. 0 is an error of the run.
    pub fn block_memory(mut self, bytes: usize) -> RunOptions {
        self.options.block_memory = Some(bytes);
        self
    }

    /// Sets the most passes over what is left: how often a transaction is taken up at the most, the first time included. On CPU
    /// threads it is taken up again when something that it read has changed; on a GPU, in each pass. 0 is an error of the run.
    pub fn pass_limit(mut self, passes: u64) -> RunOptions {
        self.options.pass_limit = Some(passes);
        self
    }

    /// Sets the most wall-clock time, without that of compiling; what is left then is reported as unresolved. On CPU threads a
    /// transaction that is in a loop then ends there, without effect; a GPU ends between transactions.
    pub fn time_limit(mut self, limit: Duration) -> RunOptions {
        self.options.time_limit = Some(limit);
        self
    }

    /// Counts conflicts by source line, or not: `true` is [`Profile::SourceLines`].
    pub fn profile(mut self, profile: impl Into<Profile>) -> RunOptions {
        self.options.profile = profile.into() == Profile::SourceLines;
        self
    }

    /// Adds up where the time of the device's threads goes, by phase of an attempt: [`Report::phases`](crate::Report::phases).
    /// Costs time, because the threads look at a clock a few times in each attempt; without it the kernel has nothing of it.
    /// Every engine tells body, commit and what went to conflicts; some tell the parts of a commit. No effect on a CPU, where
    /// the report has a note instead.
    pub fn phases(mut self, phases: impl Into<PhaseTimes>) -> RunOptions {
        self.options.phases = phases.into() == PhaseTimes::On;
        self
    }

    /// Sets the most transactions on the device at once; 0 is an error of the run. No effect on a CPU.
    pub fn chunk_size(mut self, transactions: usize) -> RunOptions {
        self.options.chunk_size = Some(transactions);
        self
    }

    /// Seeds what is left to chance, such as back-off.
    pub fn seed(mut self, seed: u64) -> RunOptions {
        self.options.seed = seed;
        self
    }

    /// Calls a function now and then during a run, from the thread that runs it.
    ///
    /// The function does not wait for shared arrays: whatever it does with one that a run uses, be it this run or another, is
    /// [`Error::ArrayInUse`](crate::Error::ArrayInUse). Arrays that no run uses it can read, and run batches on. A panic in it
    /// ends the run, whose caller gets it.
    pub fn progress(mut self, progress: impl Fn(Progress) + Send + Sync + 'static) -> RunOptions {
        self.options.progress = Some(Arc::new(progress));
        self
    }

    /// Calls a function with each line that transactions print, without its end, instead of writing it to standard output.
    /// The threads that run transactions call it, several at a time; for a GPU the thread that runs the batch does.
    ///
    /// In a test, `print_to(|line| println!("{line}"))` lets the harness capture the lines.
    pub fn print_to(mut self, print: impl Fn(&str) + Send + Sync + 'static) -> RunOptions {
        self.options.print_to = Some(Arc::new(print));
        self
    }

    /// Ends a run early once the flag is true; what is left is reported as unresolved, as with [`RunOptions::time_limit`].
    pub fn stop_when(mut self, stop: Arc<AtomicBool>) -> RunOptions {
        self.options.stop = Some(stop);
        self
    }

    /// Returns the options for a device handle with this engine.
    pub(crate) fn resolve(&self, default: &Selection) -> Options {
        let selection = self.engine.as_ref().unwrap_or(default).clone();
        Options { selection, ..self.options.clone() }
    }
}
