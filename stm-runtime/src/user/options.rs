//! The options of a run.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use crate::backend::{JobOptions, Order};
use crate::progress::Progress;
use crate::tuning::Selection;

/// Whether a run is checked for serializability.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Check {
    /// No history is recorded.
    #[default]
    Off,
    /// The run records what every transaction reads and writes, and then proves that the outcome is that of a
    /// one-at-a-time order. This costs time and memory. In push order nothing is recorded: the proof runs the transactions again, one at
    /// a time.
    Serializability,
}

/// Whether a run counts where its conflicts are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Profile {
    /// Conflicts are counted by cause alone.
    #[default]
    Off,
    /// Conflicts are counted by source line, element and function as well, and waits by function:
    /// [`Report::conflict_locations`](crate::Report::conflict_locations) and [`Report::profile`](crate::Report::profile). Where the
    /// user chose no engine, no stage runs on the host of a GPU, and CPU threads run the whole batch under locks.
    On,
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

/// What a report has of the outcomes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Outcomes {
    /// The outcome and the result of each transaction.
    #[default]
    Each,
    /// How many transactions ended in each way, and the lists of faults and of unresolved transactions. The outcome and the result of a
    /// transaction, and the codes of rejected ones, are not there: a device copies nothing back that grows with the batch, unless a
    /// transaction faults or stays unresolved.
    Counted,
    /// How each transaction ended. Results stay on the device, until somebody asks for them: [`Report::results_there`](crate::Report::results_there)
    /// has them as columns for a later batch.
    ResultsStay,
}

/// Whether the host runs batches that are too small for a GPU.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Fallback {
    /// The size of a batch does not matter.
    #[default]
    Never,
    /// A core of the host runs a batch if that is predicted to take less time than a launch, the moves of its arrays included.
    SmallBatches,
}

impl From<bool> for Check {
    fn from(check: bool) -> Check {
        if check { Check::Serializability } else { Check::Off }
    }
}

impl From<bool> for Profile {
    fn from(profile: bool) -> Profile {
        if profile { Profile::On } else { Profile::Off }
    }
}

impl From<bool> for PhaseTimes {
    fn from(phases: bool) -> PhaseTimes {
        if phases { PhaseTimes::On } else { PhaseTimes::Off }
    }
}

/// How a batch runs: an argument of [`Batch::run_with`](crate::Batch::run_with). The device chooses what is not set.
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
    options: JobOptions,
}

impl RunOptions {
    /// Returns options that leave everything to the device.
    pub fn new() -> RunOptions {
        RunOptions::default()
    }

    /// Sets the concurrency control: an [`Engine`](crate::Engine), [`Selection::auto`] for a measured tuning, a
    /// [`Tuning`](crate::Tuning) that was made before, [`Selection::plan_of`] for some methods of a plan, or the
    /// [`Plan`](crate::report::Plan) of an earlier run. On CPU threads, `serial` is one thread, every other
    /// engine is all threads under locks, and [`Selection::plan`] chooses between both. Where it is not set, the engine is that of the
    /// device handle: [`Device::with_engine`](crate::Device::with_engine).
    pub fn engine(mut self, engine: impl Into<Selection>) -> RunOptions {
        self.engine = Some(engine.into());
        self
    }

    /// Sets the one-at-a-time order whose outcome the run has: any, which is the default, or that in which the transactions were pushed.
    ///
    /// In push order, a large batch runs on a GPU by the stages of `in-order` if it is known before the run which elements its
    /// transactions write ([`KernelFacts`](crate::KernelFacts) says `foreseen`). Everything else, and the transactions that
    /// wait, run on one thread of the host, and the arrays of a GPU move there and back. With a time limit or
    /// [`RunOptions::stop_when`], it depends on the time where the run ends. The engine is left to the plan, or is `in-order`,
    /// which does not look at the size of the batch; another engine is an error of the run.
    pub fn order(mut self, order: Order) -> RunOptions {
        self.options.order = order;
        self
    }

    /// Switches the serializability check on or off: `true` is [`Check::Serializability`].
    pub fn check(mut self, check: impl Into<Check>) -> RunOptions {
        self.options.proves = check.into() == Check::Serializability;
        self
    }

    /// Sets the threads in flight: device threads on a GPU, workers on a CPU. Fewer can be faster where transactions conflict. The
    /// number is limited by what a GPU holds and by the number of transactions; [`Report::shape`](crate::Report::shape) has the
    /// actual number. 0, or more than 1,024 on a CPU, are an error of the run.
    pub fn threads(mut self, threads: usize) -> RunOptions {
        self.options.threads = Some(threads);
        self
    }

    /// Sets the active lanes of a warp, 1 to 32; another number is an error of the run. No effect on a CPU.
    pub fn lanes(mut self, lanes: u32) -> RunOptions {
        self.options.lanes = Some(lanes);
        self
    }

    /// Sets the bytes of shared memory of a block that an engine may use for partitions. The default is 48 KiB; the maximum is
    /// the device's limit for a block. More memory for each block means fewer blocks at a time. 0 is an error of the run.
    pub fn block_memory(mut self, bytes: usize) -> RunOptions {
        self.options.block_memory = Some(bytes);
        self
    }

    /// Sets the maximum number of passes: how often a transaction is executed at most, the first time included. CPU
    /// threads execute it again when something that it read has changed; a GPU, in each pass, without the stages that some engines have
    /// before the passes. 0 is an error of the run.
    pub fn pass_limit(mut self, passes: u64) -> RunOptions {
        self.options.pass_limit = Some(passes);
        self
    }

    /// Sets the maximum wall-clock time, without compilation. Transactions left at that time are reported as unresolved. On CPU
    /// threads a transaction inside a loop ends there, without effect; a GPU ends between transactions.
    pub fn time_limit(mut self, limit: Duration) -> RunOptions {
        self.options.time_limit = Some(limit);
        self
    }

    /// Sets what the report has of the outcomes. With [`Outcomes::Counted`], [`Report::outcome`](crate::Report::outcome) says
    /// [`UnresolvedReason::OnlyCounted`](crate::UnresolvedReason::OnlyCounted) for each transaction, and
    /// [`Report::results`](crate::Report::results) are `None`. A check needs each outcome, so that it has them all the same.
    pub fn outcomes(mut self, outcomes: Outcomes) -> RunOptions {
        self.options.counts_only = outcomes == Outcomes::Counted;
        self.options.results_stay = outcomes == Outcomes::ResultsStay;
        self
    }

    /// Sets whether the host runs batches that are too small for a GPU. The outcome is one that the device could have. The arrays stay in
    /// host memory then, so that the next small batch finds them there, and move to the device for a larger one. The report says so:
    /// [`PlanStep::fallback`](crate::report::PlanStep::fallback).
    ///
    /// No effect on a CPU, and where you choose an engine, the shape of launches, a profile or phases.
    pub fn fallback(mut self, fallback: Fallback) -> RunOptions {
        self.options.may_fall_back = fallback == Fallback::SmallBatches;
        self
    }

    /// Switches the profile of conflicts on or off: `true` is [`Profile::On`].
    pub fn profile(mut self, profile: impl Into<Profile>) -> RunOptions {
        self.options.profile = profile.into() == Profile::On;
        self
    }

    /// Measures the time of the device's threads by phase of an attempt: [`Report::phases`](crate::Report::phases).
    /// This costs time, because the threads read a clock a few times in each attempt; without it the kernel has no such code.
    /// Every engine reports body, commit and the time lost to conflicts; some report the parts of a commit. No effect on a CPU,
    /// where the report has a note instead.
    pub fn phases(mut self, phases: impl Into<PhaseTimes>) -> RunOptions {
        self.options.phases = phases.into() == PhaseTimes::On;
        self
    }

    /// Sets the maximum number of transactions on the device at once; 0 is an error of the run. No effect on a CPU.
    pub fn chunk_size(mut self, transactions: usize) -> RunOptions {
        self.options.chunk_size = Some(transactions);
        self
    }

    /// Sets the seed of random choices, such as back-off.
    pub fn seed(mut self, seed: u64) -> RunOptions {
        self.options.seed = seed;
        self
    }

    /// Sets a function that the thread of the run calls now and then.
    ///
    /// The function does not wait for shared arrays: an access to an array that a run uses, this run or another, returns
    /// [`Error::ArrayInUse`](crate::Error::ArrayInUse). It can read arrays that no run uses, and run batches on them. A panic in it
    /// ends the run and reaches the run's caller.
    pub fn progress(mut self, progress: impl Fn(Progress) + Send + Sync + 'static) -> RunOptions {
        self.options.progress = Some(Arc::new(progress));
        self
    }

    /// Sets a function that takes each line that transactions print, without its line end, instead of standard output.
    /// On CPU threads several workers call it at a time; for a GPU the thread that runs the batch calls it.
    ///
    /// In a test, `print_to(|line| println!("{line}"))` lets the harness capture the lines.
    pub fn print_to(mut self, print: impl Fn(&str) + Send + Sync + 'static) -> RunOptions {
        self.options.print_to = Some(Arc::new(print));
        self
    }

    /// Ends a run early once the flag is true. The remaining transactions are reported as unresolved, as with
    /// [`RunOptions::time_limit`].
    pub fn stop_when(mut self, stop: Arc<AtomicBool>) -> RunOptions {
        self.options.stop.user = Some(stop);
        self
    }

    /// Returns the options for a device handle with this engine.
    pub(crate) fn resolve(&self, default: &Selection) -> JobOptions {
        let selection = self.engine.as_ref().unwrap_or(default).clone();
        let check = self.options.proves && self.options.order == Order::Any;
        let counts_only = self.options.counts_only && !self.options.proves;
        JobOptions { selection, check, counts_only, ..self.options.clone() }
    }
}
