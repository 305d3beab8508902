//! The job of a back end. A [`Job`] borrows everything from the batch and does not depend on the device.

use std::any::Any;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::array::Array;
use super::function::{CompiledProcedure, Resolved};
use crate::columns::Column;
use crate::device_cells::DeviceCells;
use crate::error::Error;
use crate::outcome::ProfileCounts;
use crate::print::{LineFn, Printer};
use crate::progress::Progress;
use crate::stop::StopFlags;
use crate::tuning::{PlannedBatch, Selection};

/// A procedure together with the arrays it is called with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Specialization {
    /// Index into [`Job::procedures`].
    pub(crate) procedure: usize,
    /// For each component of the array parameters in order: index into [`Job::arrays`].
    pub(crate) arrays: Vec<usize>,
    /// Those of the procedure in [`Job::columns`], one for each component of the value parameters in order.
    pub(crate) columns: Range<usize>,
}

/// The user's progress function.
pub(crate) type ProgressFn = Arc<dyn Fn(Progress) + Send + Sync>;

/// The one-at-a-time order whose outcome a run has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Order {
    /// Some order. It depends on the device, and can be another one in each run.
    #[default]
    Any,
    /// The order in which the transactions were pushed. The outcome is the same in each run, on every device, to the last bit.
    ///
    /// A transaction whose guard is false has no effect, and waits. When each transaction has had its turn, those that wait have theirs
    /// again, in push order, and so on round by round. They are unresolved when a whole round commits nothing.
    Pushed,
}

/// How a batch is to run. `None` leaves the choice to the device.
#[derive(Clone, Default)]
pub(crate) struct JobOptions {
    /// The requested concurrency control.
    pub(crate) selection: Selection,
    /// The order whose outcome the run has.
    pub(crate) order: Order,
    /// Threads in flight (device threads or CPU threads).
    pub(crate) threads: Option<usize>,
    /// Active lanes of a warp.
    pub(crate) lanes: Option<u32>,
    /// The limit on bytes of shared memory of a block.
    pub(crate) block_memory: Option<usize>,
    /// The limit on passes.
    pub(crate) pass_limit: Option<u64>,
    /// The limit on wall-clock time.
    pub(crate) time_limit: Option<Duration>,
    /// A batch that is too small for a launch may run on the host.
    pub(crate) may_fall_back: bool,
    /// Outcomes are only counted.
    pub(crate) counts_only: bool,
    /// Results stay on the device.
    pub(crate) results_stay: bool,
    /// Count conflicts by location.
    pub(crate) profile: bool,
    /// Add up the time of each phase.
    pub(crate) phases: bool,
    /// Record the history.
    pub(crate) check: bool,
    /// Prove the outcome. That of push order needs no history.
    pub(crate) proves: bool,
    /// In push order: how many of the first transactions have had their first turn before the run.
    pub(crate) visited: usize,
    /// The limit on transactions on the device at once.
    pub(crate) chunk_size: Option<usize>,
    /// Called now and then by the thread that runs the batch.
    pub(crate) progress: Option<ProgressFn>,
    /// Takes the lines that transactions print; `None` for standard output.
    pub(crate) print_to: Option<LineFn>,
    /// Become true when the run is to end early.
    pub(crate) stop: StopFlags,
    /// Seeds back-off and interleavings.
    pub(crate) seed: u64,
    /// Why the selected plan is not used.
    pub(crate) unused_plan: Option<String>,
}

impl std::fmt::Debug for JobOptions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("JobOptions")
            .field("selection", &self.selection)
            .field("threads", &self.threads)
            .finish_non_exhaustive()
    }
}

/// The specialization of each transaction.
#[derive(Clone, Copy)]
pub(crate) struct SpecializationIds<'a> {
    /// The number in the batch, which follows the order of the calls.
    pub(crate) in_batch: &'a [u16],
    /// The number in the job for each number in the batch; empty where both are the same.
    pub(crate) in_job: &'a [u16],
}

impl SpecializationIds<'_> {
    /// Returns the number in the job of a specialization with that number in the batch.
    #[inline]
    pub(crate) fn number(&self, in_batch: u16) -> usize {
        if self.in_job.is_empty() { usize::from(in_batch) } else { usize::from(self.in_job[usize::from(in_batch)]) }
    }
}

/// The transactions of a batch: while this stays the same, so do they. A batch only grows; without its transactions, it is another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Content {
    pub(crate) batch: u64,
    pub(crate) transactions: usize,
    pub(crate) specializations: usize,
}

/// What a device remembers of the runs of a batch, for the next one: one value of each type.
#[derive(Default)]
pub(crate) struct Memo(Mutex<Vec<Box<dyn Any + Send>>>);

impl Memo {
    /// Lets `work` look at what is remembered, and change it. It may not use the memo meanwhile.
    pub(crate) fn with<T: Any + Send, R>(&self, work: impl FnOnce(&mut Option<T>) -> R) -> R {
        let mut memo = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let at = memo.iter().position(|known| known.is::<Option<T>>()).unwrap_or_else(|| {
            memo.push(Box::new(None::<T>));
            memo.len() - 1
        });
        work(memo[at].downcast_mut().expect("it has this type"))
    }
}

/// One run of one batch. Procedures, specializations and arrays have an order that does not depend on that of the calls. There is at
/// least one transaction and one specialization.
pub(crate) struct Job<'a> {
    /// The distinct procedures.
    pub(crate) procedures: &'a [CompiledProcedure],
    /// The distinct pairs of procedure and arrays.
    pub(crate) specializations: &'a [Specialization],
    /// The distinct arrays, all of this device; the run holds them exclusively.
    pub(crate) arrays: &'a [Array],
    /// The number of each array in the batch, which follows the order of the calls; for users.
    pub(crate) arrays_in_batch: &'a [usize],
    /// The argument columns, each of one procedure, in the order of the batch.
    pub(crate) columns: &'a [Column<'a>],
    /// The row of each transaction in the columns of its procedure; `None` while there is only one procedure, where it is the
    /// transaction's index.
    pub(crate) rows: Option<&'a [u32]>,
    /// The specialization of each transaction; `None` while there is only one.
    pub(crate) specialization_ids: Option<SpecializationIds<'a>>,
    /// The number of transactions.
    pub(crate) transactions: usize,
    /// What the batch has.
    pub(crate) content: Content,
    /// What is remembered of its earlier runs, also of those before it was filled anew.
    pub(crate) memo: &'a Memo,
    /// Words of results for each transaction: the largest number of components of a procedure's result.
    pub(crate) results: usize,
    /// How to run.
    pub(crate) options: &'a JobOptions,
    /// The destination of printed lines.
    pub(crate) printer: Arc<Printer>,
    /// The host functions of the procedures, for back ends that call them.
    pub(crate) functions: Box<dyn Functions + 'a>,
}

/// The functions of a batch.
pub(crate) trait Functions: Sync {
    /// Resolves all specializations of a job, in order.
    fn resolve<'a>(&self, job: &Job<'a>) -> Vec<Resolved<'a>>;
}

/// The functions of another job.
pub(crate) struct LentFunctions<'f>(pub(crate) &'f dyn Functions);

impl Functions for LentFunctions<'_> {
    fn resolve<'a>(&self, job: &Job<'a>) -> Vec<Resolved<'a>> {
        self.0.resolve(job)
    }
}

impl<'a> Job<'a> {
    /// Returns the functions of all specializations, in order, with access to their arguments: those on the device are copied to the host.
    pub(crate) fn resolve(&self) -> Result<Vec<Resolved<'a>>, Error> {
        self.columns.iter().filter_map(Column::on_device).try_for_each(DeviceCells::fetch)?;
        Ok(self.functions.resolve(self))
    }

    /// Returns the specializations in the order of the first calls.
    pub(crate) fn specializations_in_batch(&self) -> impl Iterator<Item = &'a Specialization> {
        let number = |at: usize| self.specialization_ids.map_or(at, |ids| ids.number(at as u16));
        (0..self.specializations.len()).map(move |at| &self.specializations[number(at)])
    }

    /// Returns the columns in the order of the procedures, with the index of the procedure of each.
    pub(crate) fn columns_by_procedure(&self) -> Vec<(usize, usize)> {
        let mut columns: Vec<(usize, usize)> =
            self.specializations.iter().flat_map(|one| one.columns.clone().map(|at| (one.procedure, at))).collect();
        columns.sort_unstable();
        columns.dedup();
        columns
    }

    /// Returns the specialization of a transaction.
    #[inline]
    pub(crate) fn specialization_of(&self, transaction: usize) -> usize {
        self.specialization_ids.map_or(0, |ids| ids.number(ids.in_batch[transaction]))
    }

    /// Returns the index of a transaction's procedure.
    #[inline]
    pub(crate) fn procedure_index(&self, transaction: usize) -> usize {
        self.specializations[self.specialization_of(transaction)].procedure
    }

    /// Returns the row of a transaction in the columns of its procedure.
    #[inline]
    pub(crate) fn row_of(&self, transaction: usize) -> usize {
        self.rows.map_or(transaction, |rows| rows[transaction] as usize)
    }

    /// Returns the transactions at the beginning of a range that have the specialization of its first one.
    #[inline]
    pub(crate) fn alike(&self, transactions: Range<usize>) -> Range<usize> {
        let Some(ids) = self.specialization_ids else { return transactions };
        let ids = &ids.in_batch[transactions.clone()];
        let alike = ids.iter().take_while(|id| **id == ids[0]).count();
        transactions.start..transactions.start + alike
    }

    /// Returns, for each array, whether an engine has to see its accesses: some procedure of the job may write it, or counts its
    /// elements.
    pub(crate) fn seen_arrays(&self) -> Vec<bool> {
        let mut is_seen = vec![false; self.arrays.len()];
        for specialization in self.specializations {
            let spec = self.procedures[specialization.procedure].spec;
            if mutant!("arrays: an array that loops write is constant", false, spec.facts.indexed > 0) {
                continue;
            }
            spec.seen_arrays().for_each(|nth| is_seen[specialization.arrays[nth]] = true);
        }
        is_seen
    }

    /// Returns, for each array, whether additions to its elements can be made after the commits: no transaction needs a value of it, or
    /// changes an element otherwise. A procedure that is called with the array twice may.
    pub(crate) fn deferrable_arrays(&self) -> Vec<bool> {
        let mut is_deferrable = vec![true; self.arrays.len()];
        for specialization in self.specializations {
            let spec = self.procedures[specialization.procedure].spec;
            for (nth, (array, additions)) in specialization.arrays.iter().zip(spec.deferrable()).enumerate() {
                let is_alone = !specialization.arrays[..nth].contains(array);
                let is_alone = mutant!("arrays: two parameters are two arrays", is_alone, true);
                let is_sum = additions.is_some();
                let is_sum =
                    mutant!("arrays: sums are deferred beside readers", is_sum, is_sum || spec.facts.read_only);
                is_deferrable[*array] &= is_alone && is_sum;
            }
        }
        is_deferrable
    }

    /// Returns the batch as a saved plan knows it.
    pub(crate) fn planned_batch(&self, device: String) -> PlannedBatch {
        let procedures = self.procedures.iter().map(|procedure| procedure.spec).collect();
        PlannedBatch::new(device, self.options.order == Order::Pushed, self.transactions, procedures)
    }

    /// Returns counts of nothing, if the run is profiled.
    pub(crate) fn new_profile(&self) -> Option<ProfileCounts> {
        let locations = self.procedures.iter().map(|procedure| procedure.spec.locations.len());
        self.options.profile.then(|| ProfileCounts::new(locations))
    }

    /// Returns the parameter name of an array, by its number in the batch, in the first function that is called with it;
    /// `accounts.balance` for a field of a record.
    pub(crate) fn parameter_name(&self, array: usize) -> &'static str {
        let name = |specialization: &Specialization| {
            let nth = specialization.arrays.iter().position(|other| self.arrays_in_batch[*other] == array)?;
            let params = self.procedures[specialization.procedure].spec.params.iter();
            params.filter(|param| param.role.array().is_some()).nth(nth).map(|param| param.name)
        };
        self.specializations_in_batch().find_map(name).unwrap_or_default()
    }

    /// Returns, for each array, the first array of the job that is a component of the same record: itself if it is alone.
    pub(crate) fn records(&self) -> Vec<usize> {
        let mut first = HashMap::new();
        self.arrays.iter().enumerate().map(|(at, array)| *first.entry(array.record()).or_insert(at)).collect()
    }

    /// Returns whether the values of some column follow from its rows.
    pub(crate) fn counts_rows(&self) -> bool {
        self.columns.iter().filter_map(Column::computed).any(|computed| computed.is_counted)
    }

    /// Returns the words of results of each transaction that the report will have.
    pub(crate) fn reported(&self) -> usize {
        if self.options.counts_only { 0 } else { self.results }
    }

    /// Returns the most elements that one transaction accesses.
    pub(crate) fn footprint(&self) -> u64 {
        self.procedures.iter().map(|procedure| u64::from(procedure.spec.facts.footprint())).max().unwrap_or(0)
    }

    /// Returns the most elements of an access set that is not in registers.
    pub(crate) fn logged(&self) -> u64 {
        self.procedures.iter().map(|procedure| u64::from(procedure.spec.facts.logged())).max().unwrap_or(0)
    }

    /// Returns the most elements that one writing transaction accesses: engines keep records of those alone.
    pub(crate) fn written_footprint(&self) -> u64 {
        let writers = self.procedures.iter().filter(|procedure| !procedure.spec.facts.read_only);
        writers.map(|procedure| u64::from(procedure.spec.facts.footprint())).max().unwrap_or(0)
    }
}
