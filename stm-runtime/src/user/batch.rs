//! A batch of transactions: filled on the host, run on a device.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use super::call::{Call, Ticket};
use super::kernel::Kernel;
use super::report::{self, Report};
use super::specializations::{self, Specializations};
use crate::backend::{Array, Device, Job, Options, hold};
use crate::columns;
use crate::data::GpuData;
use crate::error::Error;
use crate::memory;
use crate::print::Printer;
use crate::procedure::BatchFunctions;
use crate::progress::Progress;
use crate::proof::{self, Proof};
use crate::tuning::Selection;

/// No specialization: the next transaction must look for its own.
const NONE: usize = usize::MAX;

/// A batch of transactions. [`Batch::push`] fills it, [`Batch::run`] runs all of it so that the outcome is that of some
/// one-at-a-time order.
///
/// A batch can run more than once; each run starts with every transaction pending.
pub struct Batch {
    id: u64,
    device: Device,
    specializations: Specializations,
    /// The specialization of each transaction, once there are two.
    ids: Vec<u16>,
    transactions: usize,
    /// The specialization of the last transaction.
    last: usize,
    options: Options,
    /// The first call that could not be taken.
    error: Option<Error>,
}

impl Batch {
    pub(crate) fn new(device: Device) -> Batch {
        static BATCHES: AtomicU64 = AtomicU64::new(0);
        Batch {
            id: BATCHES.fetch_add(1, Ordering::Relaxed),
            device,
            specializations: Specializations::default(),
            ids: Vec::new(),
            transactions: 0,
            last: NONE,
            options: Options::default(),
            error: None,
        }
    }

    /// Adds a transaction. A call that does not fit the batch (an array of another device, say, or of a function that does not
    /// compile for devices), or for which the host has no memory, is an error of [`Batch::run`].
    #[inline]
    pub fn push<R: GpuData, const ARRAYS: usize, const VALUES: usize>(
        &mut self,
        call: Call<'_, R, ARRAYS, VALUES>,
    ) -> Ticket<R> {
        let transaction = self.transactions;
        self.transactions += 1;
        if !self.specializations.is(self.last, call.procedure, &call.arrays) {
            self.change_specialization(transaction, call.procedure, &call.arrays);
        }
        if let Some((which, parts)) = call.parts_differ {
            self.refuse_parts(transaction, call.procedure, which, parts);
        }
        if let Some(specialization) = self.specializations.list.get(self.last) {
            let mut cells = specialization.columns.iter().zip(call.words);
            let mut put =
                cells.try_for_each(|(column, word)| self.specializations.columns[*column].put(transaction, word));
            if put.is_ok() && self.specializations.list.len() > 1 {
                put = memory::push(columns::WHAT, &mut self.ids, self.last as u16);
            }
            if let Err(short) = put {
                self.refuse(short.into());
            }
        }
        Ticket::new(self.id, transaction)
    }

    /// Nothing more is taken, and the first reason is what [`Batch::run`] says.
    #[cold]
    fn refuse(&mut self, error: Error) {
        self.error.get_or_insert(error);
        self.last = NONE;
    }

    #[cold]
    fn change_specialization(&mut self, transaction: usize, procedure: &'static crate::Procedure, arrays: &[&Array]) {
        if self.error.is_some() {
            return;
        }
        match self.find_specialization(transaction, procedure, arrays) {
            Ok(at) => self.last = at,
            Err(error) => self.refuse(error),
        }
    }

    fn find_specialization(
        &mut self,
        transaction: usize,
        procedure: &'static crate::Procedure,
        arrays: &[&Array],
    ) -> Result<usize, Error> {
        let before = self.specializations.list.len();
        let at = self.specializations.find(&self.device, transaction, procedure, arrays)?;
        if before == 1 && self.specializations.list.len() == 2 {
            // Every transaction until now has the first specialization.
            memory::grow_by(columns::WHAT, &mut self.ids, self.specializations.wanted.max(transaction))?;
            self.ids.resize(transaction, 0);
        }
        Ok(at)
    }

    #[cold]
    fn refuse_parts(
        &mut self,
        transaction: usize,
        procedure: &'static crate::Procedure,
        which: usize,
        parts: [u32; 2],
    ) {
        self.refuse(specializations::parts_differ(transaction, procedure, which, parts));
    }

    /// Makes room for so many transactions more: for what those of the batch take, and for what others will take as soon as they
    /// come.
    ///
    /// # Errors
    /// The host has not enough memory. For others, that is an error of [`Batch::run`].
    pub fn reserve(&mut self, transactions: usize) -> Result<(), Error> {
        let wanted = self.transactions.saturating_add(transactions);
        // Whatever they are, each has an outcome of one byte.
        memory::ask::<u8>("the outcomes of transactions", wanted)?;
        self.specializations.columns.iter_mut().try_for_each(|column| column.reserve(transactions))?;
        if !self.ids.is_empty() {
            memory::grow_by(columns::WHAT, &mut self.ids, transactions)?;
        }
        self.specializations.wanted = self.specializations.wanted.max(wanted);
        Ok(())
    }

    /// How many transactions it has.
    #[must_use]
    pub fn len(&self) -> usize {
        self.transactions
    }

    /// It has no transactions.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.transactions == 0
    }

    /// The device that it runs on.
    #[must_use]
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// The kernels of the functions that it calls, in the order in which they came.
    pub fn kernels(&self) -> impl ExactSizeIterator<Item = Kernel> {
        self.specializations.functions.iter().map(|procedure| Kernel::of(procedure))
    }

    /// Runs every transaction and waits for the end.
    ///
    /// The arrays are held for the time of the run: other runs on them wait.
    ///
    /// # Errors
    /// A call did not fit the batch, an option cannot have its value, the host has not enough memory, or the device failed. What goes
    /// wrong inside a transaction is an outcome in the report and does not disturb the others. After an error that is found
    /// when transactions run already, as one of memory can be, some of them may have had their effects.
    pub fn run(&self) -> Result<Report, Error> {
        self.refuse_errors()?;
        if self.transactions == 0 {
            let proof = self.options.check.then(Proof::default);
            let (engine, device) = (self.options.selection.to_string(), self.device.describe());
            let tuning = self.options.selection.unmeasured(&device, "not measured: the batch is empty");
            let mut report = report::empty(self.id, device, engine, proof);
            report.tuning = tuning;
            return Ok(report);
        }
        let _held = hold(&self.specializations.arrays)?;
        self.run_held()
    }

    /// Compiles what the next run needs, and runs nothing: that run begins at once. Other batches whose procedures are called in the same
    /// order, on arrays of the same types, have it too. On CPU threads there is nothing to compile; where an engine is
    /// to be chosen by a trial ([`Engine::auto`](crate::Engine::auto)), it is the usual one.
    ///
    /// # Errors
    /// A call did not fit the batch, an option cannot have its value, the engine cannot do it, or it cannot be compiled.
    pub fn compile(&self) -> Result<(), Error> {
        self.refuse_errors()?;
        if self.transactions == 0 { Ok(()) } else { self.device.backend().compile(&self.job()) }
    }

    /// What is known to be wrong.
    fn refuse_errors(&self) -> Result<(), Error> {
        match &self.error {
            Some(error) => Err(error.clone()),
            None => self.device.backend().check(&self.options),
        }
    }

    fn run_held(&self) -> Result<Report, Error> {
        let job = self.job();
        let initial = if job.options.check { self.words()? } else { Vec::new() };
        let start = Instant::now();
        let mut output = self.device.backend().run(&job)?;
        output.notes.extend(job.printer.notes());
        output.times.total = start.elapsed();
        let proof = match output.history.take() {
            Some(history) if job.options.check => {
                let start = Instant::now();
                let proof = proof::judge(&job, &output, &history, initial, &self.words()?)?;
                output.times.check = start.elapsed();
                Some(proof)
            }
            _ => None,
        };
        let device = self.device.describe();
        Ok(report::build(report::Input { batch: self.id, device, job: &job, output, proof })?)
    }

    pub(crate) fn job(&self) -> Job<'_> {
        Job {
            procedures: &self.specializations.procedures,
            specializations: &self.specializations.list,
            arrays: &self.specializations.arrays,
            columns: &self.specializations.columns,
            specialization_ids: (self.specializations.list.len() > 1).then_some(&self.ids),
            transactions: self.transactions,
            results: self.specializations.results,
            options: &self.options,
            printer: Arc::new(Printer::new(self.options.print_to.clone())),
            functions: Box::new(BatchFunctions { device: &self.device, procedures: &self.specializations.functions }),
        }
    }

    pub(crate) fn words(&self) -> Result<Vec<Vec<u64>>, Error> {
        self.specializations.arrays.iter().map(Array::words).collect()
    }
}

/// Options of the next runs.
impl Batch {
    /// The concurrency control: an [`Engine`](crate::Engine), [`Engine::auto`](crate::Engine::auto) for a measured tuning,
    /// or a [`Tuning`](crate::Tuning) that was made before. On CPU threads only `serial` makes a difference.
    pub fn engine(&mut self, engine: impl Into<Selection>) -> &mut Batch {
        self.options.selection = engine.into();
        self
    }

    /// Records what every transaction reads and writes, and proves afterwards that the outcome is that of a one-at-a-time
    /// order. Costs time and memory.
    pub fn check(&mut self, check: bool) -> &mut Batch {
        self.options.check = check;
        self
    }

    /// Threads in flight: device threads on a GPU, workers on a CPU. Fewer can be faster where transactions collide. No more run
    /// than a GPU holds, or than there are transactions; [`Report::shape`] says how many did. 0, or more than 1,024 on a CPU, are an
    /// error of [`Batch::run`].
    pub fn threads(&mut self, threads: usize) -> &mut Batch {
        self.options.threads = Some(threads);
        self
    }

    /// Active lanes of a warp, 1 to 32; another number is an error of [`Batch::run`]. No effect on a CPU.
    pub fn lanes(&mut self, lanes: u32) -> &mut Batch {
        self.options.lanes = Some(lanes);
        self
    }

    /// Bytes of block-shared memory that an engine may take which keeps parts of arrays there, 48 KiB where nobody says; at
    /// most what the device gives a block. More memory a block means fewer blocks at a time. 0 is an error of [`Batch::run`].
    pub fn block_memory(&mut self, bytes: usize) -> &mut Batch {
        self.options.block_memory = Some(bytes);
        self
    }

    /// The most passes over what is left: how often a transaction is taken up at the most, the first time included. On CPU threads
    /// it is taken up again when something that it read has changed; on a GPU, in each pass. 0 is an error of [`Batch::run`].
    pub fn pass_limit(&mut self, passes: u64) -> &mut Batch {
        self.options.pass_limit = Some(passes);
        self
    }

    /// The most wall-clock time, without that of compiling; what is left then is reported as unresolved. On CPU threads a
    /// transaction that is in a loop then ends there, without effect; a GPU ends between transactions.
    pub fn time_limit(&mut self, limit: Duration) -> &mut Batch {
        self.options.time_limit = Some(limit);
        self
    }

    /// Counts conflicts by source line.
    pub fn profile(&mut self, profile: bool) -> &mut Batch {
        self.options.profile = profile;
        self
    }

    /// Adds up where the time of the device's threads goes, by phase of an attempt: [`Report::phases`]. Costs time, because the
    /// threads look at a clock a few times in each attempt; without it the kernel has nothing of it. Whatever the engine, body
    /// and commit are told apart, and what went to conflicts; some tell the parts of a commit. No effect on a CPU, where the
    /// report has a note instead.
    pub fn phases(&mut self, phases: bool) -> &mut Batch {
        self.options.phases = phases;
        self
    }

    /// The most transactions on the device at once; 0 is an error of [`Batch::run`]. No effect on a CPU.
    pub fn chunk_size(&mut self, transactions: usize) -> &mut Batch {
        self.options.chunk_size = Some(transactions);
        self
    }

    /// Seeds what is left to chance, such as back-off.
    pub fn seed(&mut self, seed: u64) -> &mut Batch {
        self.options.seed = seed;
        self
    }

    /// Calls a function now and then during a run, from the thread that runs it.
    ///
    /// The function does not wait for shared arrays: whatever it does with one that a run uses, be it this run or another, is
    /// [`Error::ArrayInUse`]. Arrays that no run uses it can read, and run batches on. A panic in it ends the run, whose
    /// caller gets it.
    pub fn progress(&mut self, progress: impl Fn(Progress) + Send + Sync + 'static) -> &mut Batch {
        self.options.progress = Some(Arc::new(progress));
        self
    }

    /// Calls a function with each line that transactions print, without its end, instead of writing it to standard output.
    /// The threads that run transactions call it, several at a time; for a GPU the thread that runs the batch does.
    ///
    /// In a test, `batch.print_to(|line| println!("{line}"))` lets the harness capture the lines.
    pub fn print_to(&mut self, print: impl Fn(&str) + Send + Sync + 'static) -> &mut Batch {
        self.options.print_to = Some(Arc::new(print));
        self
    }

    /// Ends a run early once the flag is true; what is left is reported as unresolved, as with [`Batch::time_limit`].
    pub fn stop_when(&mut self, stop: Arc<AtomicBool>) -> &mut Batch {
        self.options.stop = Some(stop);
        self
    }
}

impl fmt::Debug for Batch {
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
