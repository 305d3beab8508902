//! The arguments of transactions on their way into a batch: in columns of their own, so that threads write them beside each other. What the
//! lock of a pipeline guards is which transactions there are; the arguments follow when the batch is full.

use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, MutexGuard, PoisonError};

use kernels_gen::device::unit::ColumnWidth;

use crate::backend::{Array, CompiledProcedure};
use crate::columns::Column;
use crate::device_cells::NotAdded;
use crate::error::Error;
use crate::memory;
use crate::procedure::Procedure;
use crate::user::batch::Batch;

/// The most lists of columns that are kept.
const MOST_KEPT: usize = 1 << 10;

/// Transactions of one specialization, which follow each other in a batch.
pub(super) struct Parcel {
    /// Its number in the batch.
    pub(super) specialization: usize,
    pub(super) columns: Vec<Column<'static>>,
    pub(super) rows: usize,
}

/// Columns without rows, for later parcels.
#[derive(Default)]
pub(super) struct KeptColumns(Mutex<Vec<Vec<Column<'static>>>>);

impl KeptColumns {
    /// Returns empty columns for the arguments of a procedure.
    pub(super) fn take(&self, procedure: CompiledProcedure) -> Vec<Column<'static>> {
        let widths = || procedure.values().map(|(_, scalar)| ColumnWidth::of(scalar.size()));
        let mut kept = self.lock();
        let suits = |columns: &Vec<Column<'_>>| columns.iter().map(Column::width).eq(widths());
        match kept.iter().rposition(suits) {
            Some(at) => kept.swap_remove(at),
            None => widths().map(Column::new).collect(),
        }
    }

    fn keep(&self, all: impl Iterator<Item = Vec<Column<'static>>>) {
        let mut kept = self.lock();
        let room = MOST_KEPT - kept.len();
        kept.extend(all.take(room));
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Vec<Column<'static>>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A batch whose arguments are still in parcels.
pub(super) struct FillingBatch {
    batch: Batch<'static>,
    /// The rows of each procedure.
    rows: Vec<usize>,
    parcels: Vec<Parcel>,
}

impl FillingBatch {
    pub(super) fn new(batch: Batch<'static>) -> FillingBatch {
        FillingBatch { batch, rows: Vec::new(), parcels: Vec::new() }
    }

    /// Returns the number of transactions.
    pub(super) fn len(&self) -> usize {
        self.batch.len()
    }

    pub(super) fn id(&self) -> u64 {
        self.batch.id
    }

    /// Returns the number of a specialization. Adds it if it is new.
    pub(super) fn specialization(&mut self, procedure: &'static Procedure, arrays: &[&Array]) -> Result<usize, Error> {
        let last = self.batch.last.number;
        if self.batch.specializations.is(last, procedure, arrays) {
            return Ok(last);
        }
        self.batch.find_specialization(self.batch.transactions, procedure, arrays)?;
        Ok(self.batch.last.number)
    }

    /// Adds the transactions of a parcel, and returns which they are.
    pub(super) fn add(&mut self, parcel: Parcel) -> Result<Range<usize>, Error> {
        let Parcel { specialization, rows, .. } = parcel;
        let procedure = self.batch.specializations.list[specialization].procedure;
        self.rows.resize(self.rows.len().max(procedure + 1), 0);
        let (first, row) = (self.batch.transactions, self.rows[procedure]);
        memory::grow("transactions of a pipeline", &mut self.parcels)?;
        self.batch.number_rows(specialization, first, row, rows)?;
        self.parcels.push(parcel);
        self.rows[procedure] += rows;
        self.batch.transactions += rows;
        Ok(first..first + rows)
    }

    /// Returns the batch, to be run after [`FillingBatch::fill`].
    pub(super) fn batch(&self) -> &Batch<'static> {
        &self.batch
    }

    /// Moves the arguments into the batch, and keeps the columns that are empty then.
    pub(super) fn fill(&mut self, kept: &KeptColumns) -> Result<(), NotAdded> {
        let specializations = &mut self.batch.specializations;
        let mut fill = |parcel: &mut Parcel| {
            let own = specializations.list[parcel.specialization].columns.clone();
            let mut both = specializations.columns[own].iter_mut().zip(&mut parcel.columns);
            both.try_for_each(|(column, rows)| column.take(rows))
        };
        let filled = self.parcels.iter_mut().try_for_each(&mut fill);
        kept.keep(self.parcels.drain(..).map(|parcel| parcel.columns));
        filled
    }

    /// Returns the batch without transactions. This may drop an array that was adopted, and the `drop` of its owner is code of the user,
    /// which may panic: then the batch is a new one.
    pub(super) fn cleared(mut self) -> FillingBatch {
        let device = self.batch.device().clone();
        let cleared = catch_unwind(AssertUnwindSafe(|| {
            self.batch.clear();
            self.rows.clear();
            self.parcels.clear();
            self
        }));
        cleared.unwrap_or_else(|_| FillingBatch::new(device.batch()))
    }
}
