//! A batch of transactions: filled on the host, run on a device.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use super::call::{Call, Ticket};
use super::kernel::Kernel;
use super::options::RunOptions;
use super::report::{self, Report};
use super::specializations::{self, Specializations};
use crate::backend::{Array, Device, Job, JobOptions, SpecializationIds, hold};
use crate::columns::{self, Column};
use crate::data::GpuData;
use crate::error::Error;
use crate::memory;
use crate::print::Printer;
use crate::procedure::BatchFunctions;
use crate::proof::{self, Proof};

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
    /// The row of each transaction in the columns of its procedure, once there are two procedures.
    rows: Vec<u32>,
    transactions: usize,
    /// The specialization of the last transaction.
    last: usize,
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
            rows: Vec::new(),
            transactions: 0,
            last: NONE,
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
        if let Err(error) = self.put(transaction, &call.words) {
            self.refuse(error);
        }
        Ticket::new(self.id, transaction)
    }

    /// Adds a transaction, or returns why the call does not fit the batch. A refused call leaves the batch as it was: the batch
    /// takes other calls, and can run.
    ///
    /// # Errors
    /// The errors that [`Batch::push`] leaves to the run. After [`Batch::push`] has refused a call, every later call is refused
    /// for the same reason.
    pub fn try_push<R: GpuData, const ARRAYS: usize, const VALUES: usize>(
        &mut self,
        call: Call<'_, R, ARRAYS, VALUES>,
    ) -> Result<Ticket<R>, Error> {
        if let Some(error) = &self.error {
            return Err(error.clone());
        }
        let transaction = self.transactions;
        if let Some((which, parts)) = call.parts_differ {
            return Err(specializations::parts_differ(transaction, call.procedure, which, parts));
        }
        if !self.specializations.is(self.last, call.procedure, &call.arrays) {
            self.last = self.find_specialization(transaction, call.procedure, &call.arrays)?;
        }
        if let Err(error) = self.put(transaction, &call.words) {
            self.take_back(transaction);
            return Err(error);
        }
        self.transactions += 1;
        Ok(Ticket::new(self.id, transaction))
    }

    /// Writes the values of the newest transaction, whose specialization is the last one. Does nothing if there is no
    /// specialization.
    #[inline]
    fn put(&mut self, transaction: usize, words: &[u64]) -> Result<(), Error> {
        let Specializations { list, columns, procedures, .. } = &mut self.specializations;
        let Some(specialization) = list.get(self.last) else { return Ok(()) };
        if list.len() > 1 {
            memory::push(columns::WHAT, &mut self.ids, self.last as u16)?;
            if procedures.len() > 1 {
                let row = columns[specialization.columns.clone()].first().map_or(0, Column::len);
                let row = mutant!("batch: transactions have the rows of others", row, transaction);
                let row = u32::try_from(row).map_err(|_| too_many_rows(transaction))?;
                memory::push(columns::WHAT, &mut self.rows, row)?;
            }
        }
        for (column, word) in columns[specialization.columns.clone()].iter_mut().zip(words) {
            column.push(*word)?;
        }
        Ok(())
    }

    /// Undoes what [`Batch::put`] did before it failed.
    #[cold]
    fn take_back(&mut self, transaction: usize) {
        self.ids.truncate(transaction);
        self.rows.truncate(transaction);
        let Specializations { list, columns, .. } = &mut self.specializations;
        let own = list.get(self.last).map_or(0..0, |specialization| specialization.columns.clone());
        // The failure kept at least one of them as it was.
        let rows = columns[own.clone()].iter().map(Column::len).min().unwrap_or(0);
        columns[own].iter_mut().for_each(|column| column.truncate(rows));
    }

    /// Refuses all later calls. [`Batch::run`] returns the first reason.
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
        if self.specializations.list.len() == 1 && self.ids.is_empty() {
            // Reserve before the lookup, so that a call refused for lack of memory leaves the batch as it was.
            memory::grow_by(columns::WHAT, &mut self.ids, self.specializations.wanted.max(transaction))?;
        }
        let is_second =
            self.specializations.procedures.len() == 1 && self.specializations.position(procedure).is_none();
        if is_second && self.rows.is_empty() {
            u32::try_from(transaction).map_err(|_| too_many_rows(transaction))?;
            memory::grow_by(columns::WHAT, &mut self.rows, self.specializations.wanted.max(transaction))?;
        }
        let at = self.specializations.find(&self.device, transaction, procedure, arrays)?;
        if self.specializations.list.len() == 2 && self.ids.is_empty() {
            // All transactions so far have the first specialization.
            self.ids.resize(transaction, 0);
        }
        if is_second && self.rows.is_empty() {
            // All transactions so far are of the first procedure.
            self.rows.extend(0..transaction as u32);
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

    /// Makes room for that many more transactions: now in the columns that the batch has, and in later columns as soon as they
    /// appear.
    ///
    /// # Errors
    /// The host has not enough memory. If it is short for later columns, [`Batch::run`] returns the error.
    pub fn reserve(&mut self, transactions: usize) -> Result<(), Error> {
        let wanted = self.transactions.saturating_add(transactions);
        // Every transaction has an outcome of one byte.
        memory::ask::<u8>("the outcomes of transactions", wanted)?;
        self.specializations.columns.iter_mut().try_for_each(|column| column.reserve(transactions))?;
        if !self.ids.is_empty() {
            memory::grow_by(columns::WHAT, &mut self.ids, transactions)?;
        }
        if !self.rows.is_empty() {
            memory::grow_by(columns::WHAT, &mut self.rows, transactions)?;
        }
        self.specializations.wanted = self.specializations.wanted.max(wanted);
        Ok(())
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
        let options = self.resolve(options)?;
        if self.transactions == 0 {
            return Ok(self.empty_report(&options));
        }
        let _held = hold(&self.specializations.arrays)?;
        self.run_held(&self.job(&options))
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
    fn resolve(&self, options: &RunOptions) -> Result<JobOptions, Error> {
        if let Some(error) = &self.error {
            return Err(error.clone());
        }
        let options = options.resolve(&self.device.selection());
        self.device.backend().check(&options)?;
        Ok(options)
    }

    fn empty_report(&self, options: &JobOptions) -> Report {
        let proof = options.check.then(Proof::default);
        let (engine, device) = (self.device.algorithm(options.selection.usual()), self.device.describe());
        let tuning = options.selection.unmeasured(&device, "not measured: the batch is empty");
        let mut report = report::empty(self.id, device, engine, proof);
        report.tuning = tuning;
        report
    }

    fn run_held(&self, job: &Job<'_>) -> Result<Report, Error> {
        let initial = if job.options.check { self.words()? } else { Vec::new() };
        let start = Instant::now();
        let mut output = self.device.backend().run(job)?;
        output.notes.extend(job.printer.notes());
        output.times.total = start.elapsed();
        let proof = match output.history.take() {
            Some(history) if job.options.check => {
                let start = Instant::now();
                let proof = proof::judge(job, &output, &history, initial, &self.words()?)?;
                output.times.check = start.elapsed();
                Some(proof)
            }
            _ => None,
        };
        let device = self.device.describe();
        Ok(report::build(report::Input { batch: self.id, device, job, output, proof })?)
    }

    pub(crate) fn job<'a>(&'a self, options: &'a JobOptions) -> Job<'a> {
        let canonical = self.specializations.canonical();
        let ids = SpecializationIds { in_batch: &self.ids, in_job: &canonical.numbers };
        Job {
            procedures: &canonical.procedures,
            specializations: &canonical.list,
            arrays: &canonical.arrays,
            arrays_in_batch: &canonical.arrays_in_batch,
            columns: &self.specializations.columns,
            rows: (canonical.procedures.len() > 1).then_some(&self.rows),
            specialization_ids: (canonical.list.len() > 1).then_some(ids),
            transactions: self.transactions,
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

/// Returns the error of a batch of several procedures in which one has more transactions than a row can number.
#[cold]
fn too_many_rows(transaction: usize) -> Error {
    Error::BatchFull {
        transaction,
        what: "transactions of one function beside those of others",
        max: u32::MAX as usize,
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
