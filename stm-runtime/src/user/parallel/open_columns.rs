//! The columns of a batch, where threads write the arguments of calls whose places they know.

use std::sync::{Mutex, OnceLock, PoisonError};

use kernels_gen::device::unit::ColumnWidth;

use super::part::Part;
use crate::columns::Column;
use crate::error::Error;
use crate::new_rows::{CellsMut, split_first};
use crate::procedure::Procedure;
use crate::user::batch::Batch;

/// The rows that one thread at a time writes to.
const CHUNK: usize = if cfg!(test) { 1 << 5 } else { 1 << 16 };

/// Rows of all columns of a function.
type Chunk<'t> = Mutex<Vec<CellsMut<'t>>>;

/// The columns of one function while threads write to them: that of the first calls, because most calls have it as a rule. Afterwards, also
/// when the user's code panics, the batch has them again.
pub(super) struct OpenColumns<'b, 'a> {
    pub(super) batch: &'b mut Batch<'a>,
    /// Memory of columns that the batch has had.
    pub(super) spare: Vec<Column<'a>>,
    pub(super) procedure: Option<&'static Procedure>,
    pub(super) columns: Vec<Column<'a>>,
    /// How many rows they had before, and how many may have been written then.
    pub(super) before: usize,
    pub(super) open: usize,
}

impl<'b, 'a> OpenColumns<'b, 'a> {
    pub(super) fn new(batch: &'b mut Batch<'a>) -> OpenColumns<'b, 'a> {
        let spare = std::mem::take(&mut batch.specializations.spare);
        OpenColumns { batch, spare, procedure: None, columns: Vec::new(), before: 0, open: 0 }
    }

    /// Returns a column, with the memory of an earlier one if there is one.
    pub(super) fn column(spare: &mut Vec<Column<'a>>, width: ColumnWidth) -> Column<'a> {
        let at = spare.iter().position(|spare| spare.width() == width);
        at.map_or_else(|| Column::new(width), |at| spare.remove(at))
    }

    /// Opens columns for that many calls of a function.
    fn open(&mut self, procedure: &'static Procedure, calls: usize) -> Result<Vec<Chunk<'_>>, Error> {
        let widths: Vec<_> = procedure.compiled()?.values().map(|(_, scalar)| ColumnWidth::of(scalar.size())).collect();
        let own = &mut self.batch.specializations;
        let known = own.position(procedure);
        self.columns = match known {
            Some(known) => {
                let range = own.columns_of(known);
                own.columns[range]
                    .iter_mut()
                    .zip(&widths)
                    .map(|(own, width)| std::mem::replace(own, Column::new(*width)))
                    .collect()
            }
            None => widths.iter().map(|width| Self::column(&mut self.spare, *width)).collect(),
        };
        self.before = self.columns.first().filter(|_| known.is_some()).map_or(0, Column::len);
        (self.procedure, self.open) = (Some(procedure), calls);
        let before = self.before;
        let cells = self.columns.iter_mut().map(|column| column.open(before, calls));
        let mut rest: Vec<CellsMut<'_>> = cells.collect::<Result<_, _>>()?;
        let chunks = (0..calls.div_ceil(CHUNK)).map(|_| {
            let (chunk, others) = split_first(std::mem::take(&mut rest), CHUNK);
            rest = others;
            Mutex::new(chunk)
        });
        Ok(chunks.collect())
    }

    /// Gives the columns back to the batch, if it has calls of their function.
    pub(super) fn close(&mut self) {
        let own = &mut self.batch.specializations;
        if let Some(known) = self.procedure.and_then(|procedure| own.position(procedure)) {
            let range = own.columns_of(known);
            own.columns.splice(range, self.columns.drain(..));
            self.procedure = None;
        }
    }
}

impl Drop for OpenColumns<'_, '_> {
    fn drop(&mut self) {
        if self.procedure.is_some() {
            self.columns.iter_mut().for_each(|column| column.truncate(self.before));
            self.close();
        }
        let spare = &mut self.batch.specializations.spare;
        spare.append(&mut self.spare);
        spare.append(&mut self.columns);
    }
}

/// Opens the columns of a function, once.
type Opening<'t> = Box<dyn FnOnce(&'static Procedure) -> Result<Vec<Chunk<'t>>, Error> + Send + 't>;

/// Writes arguments into the columns, which it opens for the first calls.
pub(super) struct ColumnWriter<'t> {
    /// `None` once they are open.
    opening: Mutex<Option<Opening<'t>>>,
    /// The function with rows in place, and these rows.
    open: OnceLock<Option<(&'static Procedure, Vec<Chunk<'t>>)>>,
}

impl<'t> ColumnWriter<'t> {
    pub(super) fn new(columns: &'t mut OpenColumns<'_, '_>, calls: usize) -> ColumnWriter<'t> {
        let opening: Opening<'t> = Box::new(move |procedure| columns.open(procedure, calls));
        ColumnWriter { opening: Mutex::new(Some(opening)), open: OnceLock::new() }
    }

    /// Writes the arguments of calls to their places, from this one on. Returns false where they have none: they may be wrong, or of
    /// another function than the first ones.
    // No code of the user runs here, so that a thread waits for others only as long as they copy.
    pub(super) fn write<const ARRAYS: usize, const VALUES: usize>(
        &self,
        place: usize,
        part: &Part<'_, ARRAYS, VALUES>,
    ) -> bool {
        let [first, others @ ..] = &part.kinds[..] else { return false };
        let same = |procedure| others.iter().all(|kind| std::ptr::eq(kind.procedure, procedure));
        if part.wrong.is_some() || !same(first.procedure) || first.procedure.compiled().is_err() {
            return false;
        }
        let open = || {
            let opening = self.opening.lock().unwrap_or_else(PoisonError::into_inner).take();
            Some((first.procedure, opening?(first.procedure).ok()?))
        };
        let Some((procedure, chunks)) = self.open.get_or_init(open) else { return false };
        if !std::ptr::eq(*procedure, first.procedure) {
            return false;
        }
        let (mut place, mut rows) = (place, &part.rows[..]);
        while !rows.is_empty() {
            let (own, others) = rows.split_at(rows.len().min(CHUNK - place % CHUNK));
            let mut cells = chunks[place / CHUNK].lock().unwrap_or_else(PoisonError::into_inner);
            for (nth, cells) in cells.iter_mut().enumerate().take(VALUES) {
                cells.put(place % CHUNK, own.iter().map(|row| row[nth]));
            }
            (place, rows) = (place + own.len(), others);
        }
        true
    }
}
