//! A batch of transactions: filled on the host, run on a device.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use super::columns::Tickets;
use super::kernel::Kernel;
use super::last::Last;
use super::options::RunOptions;
use super::report::{self, Report, result_type};
use super::specializations::Specializations;
use crate::backend::{
    Ahead, Array, Content, Device, Holding, Job, JobOptions, Memo, Order, Place, Specialization, SpecializationIds,
    line_up,
};
use crate::data::GpuData;
use crate::error::Error;
use crate::inside;
use crate::print::Printer;
use crate::procedure::BatchFunctions;
use crate::proof::{self, Proof};
use crate::timed::timed;
use crate::tuning::{SavedPlan, Selected, Selection};

/// A batch of transactions. [`Batch::push_columns`], [`Batch::push`] and `extend` fill it, [`Batch::run`] runs all of it so that the
/// outcome is that of some one-at-a-time order.
///
/// A batch can run more than once; each run starts with every transaction pending.
///
/// `'a` is the lifetime of the columns that the batch borrows. Where it borrows none, `Batch<'static>` is its type, in a field of a
/// struct for example.
pub struct Batch<'a> {
    pub(super) id: u64,
    pub(super) device: Device,
    pub(super) specializations: Specializations<'a>,
    /// The specialization of each transaction, once there are two.
    pub(super) ids: Vec<u16>,
    /// The row of each transaction in the columns of its procedure, once there are two procedures.
    pub(super) rows: Vec<u32>,
    pub(super) transactions: usize,
    /// The specialization of the last transaction.
    pub(super) last: Last,
    /// The first call that could not be taken.
    pub(super) error: Option<Error>,
    /// What a device keeps of it.
    pub(super) remains: Remains,
    pub(super) memo: Memo,
}

/// What a device keeps of the batch with that number, as long as the batch lives.
pub(super) struct Remains(Device, u64);

impl Drop for Remains {
    fn drop(&mut self) {
        self.0.backend().forget(self.1);
    }
}

/// A run that is to begin.
pub(super) struct Due {
    options: JobOptions,
    place: Place,
    /// When it was asked for.
    start: Instant,
}

impl<'a> Batch<'a> {
    pub(crate) fn new(device: Device) -> Batch<'a> {
        static BATCHES: AtomicU64 = AtomicU64::new(0);
        let id = BATCHES.fetch_add(1, Ordering::Relaxed);
        Batch {
            id,
            remains: Remains(device.clone(), id),
            memo: Memo::default(),
            device,
            specializations: Specializations::default(),
            ids: Vec::new(),
            rows: Vec::new(),
            transactions: 0,
            last: Last::default(),
            error: None,
        }
    }

    /// Returns the number of transactions.
    #[must_use]
    pub fn len(&self) -> usize {
        self.transactions
    }

    /// Returns whether the batch has no transactions.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.transactions == 0
    }

    /// Returns the tickets of all transactions, if the function of each has the result `R`, or if `R` is `()`. They are for
    /// [`Report::results`] of a batch that calls were pushed to.
    ///
    /// # Errors
    /// A transaction has another result.
    pub fn tickets<R: GpuData>(&self) -> Result<Tickets<R>, Error> {
        let wrong = |specialization: &Specialization| {
            result_type::<R>(self.specializations.procedures[specialization.procedure].spec)
        };
        for (number, specialization) in self.specializations.list.iter().enumerate() {
            if let Some((procedure, result)) = wrong(specialization) {
                let transaction = self.ids.iter().position(|id| usize::from(*id) == number).unwrap_or(0);
                return Err(Error::ResultType { transaction, procedure, result, asked: R::TYPE.to_string() });
            }
        }
        Ok(Tickets::new(self.id, 0..self.transactions))
    }

    /// Returns the device that the batch runs on.
    #[must_use]
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// Returns the kernels of the called functions, in the order of their first calls.
    pub fn kernels(&self) -> impl ExactSizeIterator<Item = Kernel> {
        self.specializations.functions.iter().map(|procedure| Kernel::of(procedure))
    }

    /// Runs every transaction with the defaults of the device handle and waits for the end.
    ///
    /// The run holds the arrays: other runs on them wait.
    ///
    /// # Errors
    /// A call did not fit the batch, the host has not enough memory, or the device failed. A fault inside a transaction
    /// is an outcome in the report and does not disturb the others. Some errors, such as lack of memory, can appear after
    /// transactions have run; some of those may then have had their effects.
    pub fn run(&self) -> Result<Report, Error> {
        self.run_with(&RunOptions::new())
    }

    /// Runs every transaction as [`Batch::run`], with these options.
    ///
    /// # Errors
    /// As [`Batch::run`], or an option cannot have its value.
    pub fn run_with(&self, options: &RunOptions) -> Result<Report, Error> {
        self.run_due(self.due(self.resolve(options)?)?)
    }

    /// Lets a run line up for its arrays.
    pub(super) fn due(&self, mut options: JobOptions) -> Result<Due, Error> {
        let start = Instant::now();
        let misfit = |saved: &SavedPlan| saved.misfit(&self.job(&options).planned_batch(self.device.describe()));
        if let Some(why) = options.selection.saved().and_then(misfit) {
            options.unused_plan = Some(format!("the saved plan is not used: {why}"));
            options.selection = options.selection.methods().unwrap_or_default().into();
        }
        Ok(Due { options, place: line_up(&self.specializations.arrays)?, start })
    }

    /// Waits for the arrays, and runs every transaction.
    pub(super) fn run_due(&self, due: Due) -> Result<Report, Error> {
        span!("run", transactions = self.transactions, procedures = self.specializations.functions.len());
        let Due { options, place, start } = due;
        if self.transactions == 0 {
            return Ok(self.empty_report(&options));
        }
        let job = self.job(&options);
        let ahead = {
            // Functions of transactions may run, only to find their elements.
            let _inside = inside::enter();
            self.device.backend().go_ahead(&job)
        };
        self.run_held(&job, start, place.wait(), ahead)
    }

    /// Compiles the kernels of [`Batch::run`] and runs nothing: that run then begins at once. Other batches that call the same
    /// procedures on arrays of the same types, in whatever order, use the same kernels. CPU threads compile nothing. For an
    /// engine chosen by a trial ([`Selection::auto`](crate::Selection::auto)), the default engine is compiled.
    ///
    /// # Errors
    /// A call did not fit the batch, the engine does not support the batch, or the compiler failed.
    pub fn compile(&self) -> Result<(), Error> {
        self.compile_with(&RunOptions::new())
    }

    /// Compiles as [`Batch::compile`], for a run with these options.
    ///
    /// # Errors
    /// As [`Batch::compile`], or an option cannot have its value.
    pub fn compile_with(&self, options: &RunOptions) -> Result<(), Error> {
        let options = self.resolve(options)?;
        if self.transactions == 0 { Ok(()) } else { self.device.backend().compile(&self.job(&options)) }
    }

    /// Returns the options of a run, or an error that is known before the run.
    pub(super) fn resolve(&self, options: &RunOptions) -> Result<JobOptions, Error> {
        if let Some(error) = &self.error {
            return Err(error.clone());
        }
        let options = options.resolve(&self.device.selection());
        if options.order == Order::Pushed {
            check_push_order(&options.selection)?;
        }
        self.device.backend().check(&options)?;
        Ok(options)
    }

    fn empty_report(&self, options: &JobOptions) -> Report {
        let proof = options.proves.then(Proof::default);
        let (engine, device) = (self.device.algorithm(options.selection.usual()), self.device.describe());
        let tuning = options.selection.unmeasured(&device, "not measured: the batch is empty");
        let mut report = report::empty(self.id, device, engine, proof);
        report.tuning = tuning;
        report
    }

    /// Runs a job, whose arrays are held, and makes the report while others have them. `start` is when the run was asked for.
    fn run_held(&self, job: &Job<'_>, start: Instant, held: Holding, ahead: Ahead) -> Result<Report, Error> {
        let mut check = Duration::ZERO;
        let initial = if job.options.proves { timed(&mut check, || self.words())? } else { Vec::new() };
        let mut output = self.device.backend().run(job, ahead)?;
        output.notes.extend(job.printer.notes());
        output.notes.extend(job.options.unused_plan.clone());
        let proof = match (job.options.order, output.history.take()) {
            (Order::Any, Some(history)) if job.options.proves => {
                Some(timed(&mut check, || proof::judge(job, &output, &history, initial, &self.words()?))?)
            }
            (Order::Pushed, _) if job.options.proves => {
                Some(timed(&mut check, || proof::judge_pushed(job, &output, initial, &self.words()?))?)
            }
            _ => None,
        };
        let _inside = held.release();
        let (device, mut building) = (self.device.describe(), Duration::ZERO);
        let input = report::Input { batch: self.id, device, handle: &self.device, job, output, proof };
        let mut report = timed(&mut building, || report::build(input))?;
        (report.times.check, report.times.report) = (check, building);
        report.times.add_up(start.elapsed().saturating_sub(check));
        Ok(report)
    }

    pub(crate) fn job<'j>(&'j self, options: &'j JobOptions) -> Job<'j> {
        let canonical = self.specializations.canonical();
        let Remains(_, batch) = self.remains;
        let (transactions, specializations) = (self.transactions, self.specializations.list.len());
        let batch = mutant!("chunks: columns of an earlier batch are found", batch, 0);
        let content = Content { batch, transactions, specializations };
        let ids = SpecializationIds { in_batch: &self.ids, in_job: &canonical.numbers };
        Job {
            procedures: &canonical.procedures,
            specializations: &canonical.list,
            arrays: &canonical.arrays,
            arrays_in_batch: &canonical.arrays_in_batch,
            columns: &self.specializations.columns,
            rows: (canonical.procedures.len() > 1).then_some(&self.rows),
            specialization_ids: (canonical.list.len() > 1).then_some(ids),
            transactions,
            content,
            memo: &self.memo,
            results: self.specializations.results,
            options,
            printer: Arc::new(Printer::new(options.print_to.clone())),
            functions: Box::new(BatchFunctions { device: &self.device, procedures: &canonical.functions }),
        }
    }

    /// Returns the elements of all arrays, in the order of the job.
    pub(crate) fn words(&self) -> Result<Vec<Vec<u64>>, Error> {
        self.specializations.canonical().arrays.iter().map(Array::words).collect()
    }
}

/// Returns an error if a run cannot have the outcome of push order: by a plan, whose last method is one transaction at a time, or by an
/// engine whose stages give transactions their turns.
fn check_push_order(selection: &Selection) -> Result<(), Error> {
    match selection.get() {
        Selected::Planned(methods) if methods.has_host() => Ok(()),
        Selected::Planned(methods) => {
            Err(methods.without_end(", which keeps push order", |engine| engine.spec().is_sequential()))
        }
        Selected::Engine(engine) if engine.spec().keeps_order() => Ok(()),
        Selected::Engine(_) | Selected::Among(_) | Selected::Chosen(_) => {
            Err(Error::OrderUnderEngine { engine: selection.to_string() })
        }
    }
}

impl fmt::Debug for Batch<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Batch")
            .field("device", &self.device)
            .field("transactions", &self.transactions)
            .field(
                "procedures",
                &self.specializations.procedures.iter().map(|procedure| procedure.spec.name).collect::<Vec<_>>(),
            )
            .finish_non_exhaustive()
    }
}
