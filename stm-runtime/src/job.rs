//! What a back end is asked to do and what it gives back: the seam between a [`Table`](crate::Table) and a device.
//!
//! Nothing here knows a device. A [`Job`] borrows everything from the table; a [`RunOutput`] is plain data, which the
//! table turns into a [`Report`](crate::Report) and, for a checked run, judges.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use crate::choice::Choice;
use crate::columns::Column;
use crate::engine::Selection;
use crate::kind::Compiled;
use crate::print::{LineFn, Printer};
use crate::progress::Progress;
use crate::proof::History;
use crate::region::Region;
use crate::report::{Conflicts, Memory, Phases, Times, Why};

/// A row that has not been looked at yet.
pub(crate) const PENDING: u8 = 0;
/// A row whose effects are in the regions.
pub(crate) const COMMITTED: u8 = 1;
/// A row that gave up by `tx.reject`.
pub(crate) const REJECTED: u8 = 2;
/// A row that did what Rust would panic on.
pub(crate) const FAULTED: u8 = 3;
/// A pending row whose guard was false at the last look.
pub(crate) const POSTPONED: u8 = 4;
/// A pending row that lost against others at the last look.
pub(crate) const CONFLICTED: u8 = 5;

/// The bits of a row's detail that hold the site of a fault; its code stands above them.
pub(crate) const SITE_BITS: u32 = 24;
/// The site of an access that has none: calls of the verbs outside generated code.
pub(crate) const NO_SITE: u32 = (1 << SITE_BITS) - 1;

/// A kind together with the regions it is called with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Binding {
    /// Index into [`Job::kinds`].
    pub(crate) kind: usize,
    /// For each leaf of the region parameters in order: index into [`Job::regions`].
    pub(crate) regions: Vec<usize>,
    /// For each leaf of the value parameters in order: index into [`Job::columns`].
    pub(crate) columns: Vec<usize>,
}

/// Calls of the progress function that the user gave.
pub(crate) type ProgressFn = Arc<dyn Fn(Progress) + Send + Sync>;

/// How a table is to be run. `None` leaves the choice to the device.
#[derive(Clone, Default)]
pub(crate) struct Options {
    /// The concurrency control that was asked for.
    pub(crate) selection: Selection,
    /// Threads in flight (device threads or CPU threads).
    pub(crate) threads: Option<usize>,
    /// Active lanes of a warp.
    pub(crate) lanes: Option<u32>,
    /// The most bytes of block-shared memory.
    pub(crate) local_memory: Option<usize>,
    /// The most passes over what is left.
    pub(crate) pass_limit: Option<u64>,
    /// The most wall-clock time.
    pub(crate) time_limit: Option<Duration>,
    /// Count conflicts by site.
    pub(crate) profile: bool,
    /// Add up the time of each phase.
    pub(crate) phases: bool,
    /// Record the history.
    pub(crate) check: bool,
    /// The most rows on the device at once.
    pub(crate) piece_rows: Option<usize>,
    /// Called now and then by the thread that runs the table.
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

/// One run of one table. At least one row and one binding.
pub(crate) struct Job<'a> {
    /// The distinct kinds.
    pub(crate) kinds: &'a [Compiled],
    /// The distinct pairs of kind and regions.
    pub(crate) bindings: &'a [Binding],
    /// The distinct regions, all of this device; the run holds them exclusively.
    pub(crate) regions: &'a [Region],
    /// The argument columns. One may be shorter than the table: the rest of it is zero.
    pub(crate) columns: &'a [Column],
    /// The binding of each row; `None` while there is only one.
    pub(crate) binding_ids: Option<&'a [u16]>,
    /// How many rows.
    pub(crate) rows: usize,
    /// Words of results for each row: the most leaves that a kind's result has.
    pub(crate) results: usize,
    /// How to run.
    pub(crate) options: &'a Options,
    /// Where lines go.
    pub(crate) printer: Arc<Printer>,
}

impl Job<'_> {
    /// The binding of a row.
    #[inline]
    pub(crate) fn binding_of(&self, row: usize) -> usize {
        self.binding_ids.map_or(0, |ids| usize::from(ids[row]))
    }

    /// The most elements that one transaction touches.
    pub(crate) fn footprint(&self) -> u64 {
        self.kinds.iter().map(|kind| u64::from(kind.spec.facts.footprint())).max().unwrap_or(0)
    }

    /// The most elements that one transaction touches which may write: engines keep records of those alone.
    pub(crate) fn written_footprint(&self) -> u64 {
        let writers = self.kinds.iter().filter(|kind| !kind.spec.facts.read_only);
        writers.map(|kind| u64::from(kind.spec.facts.footprint())).max().unwrap_or(0)
    }
}

/// What a run gave.
#[derive(Debug, Default)]
pub(crate) struct RunOutput {
    /// One of the status constants for each row.
    pub(crate) status: Vec<u8>,
    /// Rejected rows: the code. Faulted rows: code << 24 | site. Empty when no row has any.
    pub(crate) detail: Vec<u32>,
    /// The result words, leaf by leaf: word `leaf` of a row stands at `leaf * rows + row`. [`Job::results`] leaves.
    pub(crate) results: Vec<u64>,
    /// What the finished rows read and wrote, when asked for.
    pub(crate) history: Option<History>,
    /// Conflicts by cause.
    pub(crate) conflicts: Conflicts,
    /// Conflicts by kind (index into [`Job::kinds`]) and site; empty when not profiled.
    pub(crate) sites: Vec<Vec<u64>>,
    /// How often a row was postponed.
    pub(crate) postponements: u64,
    /// Passes over what was left, the first one included.
    pub(crate) passes: u64,
    /// Why rows are left, if any are.
    pub(crate) why_left: Why,
    /// How the engine was chosen, where nobody named one.
    pub(crate) choice: Option<Choice>,
    /// The engine that really ran, in words.
    pub(crate) engine: String,
    /// The launch shape in words, such as `2 threads`.
    pub(crate) shape: String,
    /// Where the time went; `total` is set by the table.
    pub(crate) times: Times,
    /// Where the time of the device's threads went, when asked for and told.
    pub(crate) phases: Option<Phases>,
    /// Memory on the device.
    pub(crate) memory: Memory,
    /// Things that people should know, such as trouble with the cache of kernels.
    pub(crate) notes: Vec<String>,
}
