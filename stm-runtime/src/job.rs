//! What a back end is asked to do and what it gives back: the seam between a [`Batch`](crate::Batch) and a device.
//!
//! Nothing here knows a device. A [`Job`] borrows everything from the batch; a [`RunOutput`] is plain data, which the
//! batch turns into a [`Report`](crate::Report) and, for a checked run, judges.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use crate::array::Array;
use crate::columns::Column;
use crate::engine::Selection;
use crate::print::{LineFn, Printer};
use crate::procedure::Compiled;
use crate::progress::Progress;
use crate::proof::History;
use crate::report::{Algorithm, Conflicts, LaunchShape, Memory, Phases, Times, UnresolvedReason};
use crate::tuning::Tuning;

/// A transaction that has not been looked at yet.
pub(crate) const PENDING: u8 = 0;
/// A transaction whose effects are in the arrays.
pub(crate) const COMMITTED: u8 = 1;
/// A transaction that gave up by `tx.reject`.
pub(crate) const REJECTED: u8 = 2;
/// A transaction that did what Rust would panic on.
pub(crate) const FAULTED: u8 = 3;
/// A pending transaction whose guard was false at the last look.
pub(crate) const POSTPONED: u8 = 4;
/// A pending transaction that lost against others at the last look.
pub(crate) const CONFLICTED: u8 = 5;

/// The bits of a transaction's detail that hold the location of a fault; its code stands above them.
pub(crate) const LOCATION_BITS: u32 = 24;
/// The location of an access that has none: calls of the verbs outside generated code.
pub(crate) const NO_LOCATION: u32 = (1 << LOCATION_BITS) - 1;

/// A procedure together with the arrays it is called with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Specialization {
    /// Index into [`Job::procedures`].
    pub(crate) procedure: usize,
    /// For each component of the array parameters in order: index into [`Job::arrays`].
    pub(crate) arrays: Vec<usize>,
    /// For each component of the value parameters in order: index into [`Job::columns`].
    pub(crate) columns: Vec<usize>,
}

/// Calls of the progress function that the user gave.
pub(crate) type ProgressFn = Arc<dyn Fn(Progress) + Send + Sync>;

/// How a batch is to be run. `None` leaves the choice to the device.
#[derive(Clone, Default)]
pub(crate) struct Options {
    /// The concurrency control that was asked for.
    pub(crate) selection: Selection,
    /// Threads in flight (device threads or CPU threads).
    pub(crate) threads: Option<usize>,
    /// Active lanes of a warp.
    pub(crate) lanes: Option<u32>,
    /// The most bytes of block-shared memory.
    pub(crate) block_memory: Option<usize>,
    /// The most passes over what is left.
    pub(crate) pass_limit: Option<u64>,
    /// The most wall-clock time.
    pub(crate) time_limit: Option<Duration>,
    /// Count conflicts by location.
    pub(crate) profile: bool,
    /// Add up the time of each phase.
    pub(crate) phases: bool,
    /// Record the history.
    pub(crate) check: bool,
    /// The most transactions on the device at once.
    pub(crate) chunk_size: Option<usize>,
    /// Called now and then by the thread that runs the batch.
    pub(crate) progress: Option<ProgressFn>,
    /// Takes the lines that transactions print; `None` for standard output.
    pub(crate) print_to: Option<LineFn>,
    /// Becomes true when the run is to end early.
    pub(crate) stop: Option<Arc<AtomicBool>>,
    /// Seeds back-off and interleavings.
    pub(crate) seed: u64,
}

impl std::fmt::Debug for Options {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Options")
            .field("selection", &self.selection)
            .field("threads", &self.threads)
            .finish_non_exhaustive()
    }
}

/// One run of one batch. At least one transaction and one specialization.
pub(crate) struct Job<'a> {
    /// The distinct procedures.
    pub(crate) procedures: &'a [Compiled],
    /// The distinct pairs of procedure and arrays.
    pub(crate) specializations: &'a [Specialization],
    /// The distinct arrays, all of this device; the run holds them exclusively.
    pub(crate) arrays: &'a [Array],
    /// The argument columns. One may be shorter than the batch: the rest of it is zero.
    pub(crate) columns: &'a [Column],
    /// The specialization of each transaction; `None` while there is only one.
    pub(crate) specialization_ids: Option<&'a [u16]>,
    /// How many transactions.
    pub(crate) transactions: usize,
    /// Words of results for each transaction: the most components that a procedure's result has.
    pub(crate) results: usize,
    /// How to run.
    pub(crate) options: &'a Options,
    /// Where lines go.
    pub(crate) printer: Arc<Printer>,
}

impl Job<'_> {
    /// The specialization of a transaction.
    #[inline]
    pub(crate) fn specialization_of(&self, transaction: usize) -> usize {
        self.specialization_ids.map_or(0, |ids| usize::from(ids[transaction]))
    }

    /// The most elements that one transaction touches.
    pub(crate) fn footprint(&self) -> u64 {
        self.procedures.iter().map(|procedure| u64::from(procedure.spec.facts.footprint())).max().unwrap_or(0)
    }

    /// The most elements that one transaction touches which may write: engines keep records of those alone.
    pub(crate) fn written_footprint(&self) -> u64 {
        let writers = self.procedures.iter().filter(|procedure| !procedure.spec.facts.read_only);
        writers.map(|procedure| u64::from(procedure.spec.facts.footprint())).max().unwrap_or(0)
    }
}

/// What a run gave.
#[derive(Debug, Default)]
pub(crate) struct RunOutput {
    /// One of the status constants for each transaction.
    pub(crate) status: Vec<u8>,
    /// Rejected transactions: the code. Faulted transactions: code << 24 | location. Empty when no transaction has any.
    pub(crate) detail: Vec<u32>,
    /// The result words, component by component: word `component` of a transaction stands at `component * transactions + transaction`. [`Job::results`] components.
    pub(crate) results: Vec<u64>,
    /// What the finished transactions read and wrote, when asked for.
    pub(crate) history: Option<History>,
    /// Conflicts by cause.
    pub(crate) conflicts: Conflicts,
    /// Conflicts by procedure (index into [`Job::procedures`]) and location; empty when not profiled.
    pub(crate) locations: Vec<Vec<u64>>,
    /// How often a transaction was postponed.
    pub(crate) postponements: u64,
    /// Passes over what was left, the first one included.
    pub(crate) passes: u64,
    /// Why transactions are left, if any are.
    pub(crate) unresolved_reason: UnresolvedReason,
    /// How the engine was chosen, where nobody named one.
    pub(crate) tuning: Option<Tuning>,
    /// The algorithm that ran.
    pub(crate) engine: Algorithm,
    /// The shape of its launches.
    pub(crate) shape: LaunchShape,
    /// Where the time went; `total` is set by the batch.
    pub(crate) times: Times,
    /// Where the time of the device's threads went, when asked for and told.
    pub(crate) phases: Option<Phases>,
    /// Memory on the device.
    pub(crate) memory: Memory,
    /// Things that people should know, such as trouble with the cache of kernels.
    pub(crate) notes: Vec<String>,
}
