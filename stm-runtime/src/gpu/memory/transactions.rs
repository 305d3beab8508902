//! The transactions of a chunk.

use std::borrow::Cow;
use std::ops::Range;

use crate::columns::Column;
use crate::memory::{self, NoMemory};
use crate::outcome::{COMMITTED, FAULTED, PENDING};

/// The purpose of the memory, for the error when a chunk's transactions do not fit.
pub(crate) const WHAT: &str = "transactions on their way to the device";

/// The transactions of the batch that form a chunk, in the chunk's order.
#[derive(Debug, Clone)]
pub(crate) enum Transactions<'a> {
    Range(Range<usize>),
    Picked(&'a [usize]),
}

impl Transactions<'_> {
    pub(crate) fn len(&self) -> usize {
        match self {
            Transactions::Range(range) => range.len(),
            Transactions::Picked(transactions) => transactions.len(),
        }
    }

    /// Returns whether they are all of a batch with that many, in its order.
    pub(crate) fn are_all(&self, transactions: usize) -> bool {
        matches!(self, Transactions::Range(range) if *range == (0..transactions))
    }

    pub(crate) fn at(&self, index: usize) -> usize {
        match self {
            Transactions::Range(range) => range.start + index,
            Transactions::Picked(transactions) => transactions[index],
        }
    }

    /// Gathers the chunk's values of a column. Values beyond the column's end are never read and are left out.
    pub(crate) fn gather<'a, T: Copy + Default>(&self, cells: &'a [T]) -> Result<Cow<'a, [T]>, NoMemory> {
        match self {
            Transactions::Range(range) => {
                Ok(Cow::Borrowed(&cells[range.start.min(cells.len())..range.end.min(cells.len())]))
            }
            Transactions::Picked(transactions) => {
                let of = |transaction: usize| {
                    mutant!("chunks: what is left has other arguments", transaction, transaction / 2)
                };
                let cell = |transaction: &usize| cells.get(of(*transaction)).copied().unwrap_or_default();
                Ok(Cow::Owned(memory::collected(WHAT, transactions.iter().map(cell))?))
            }
        }
    }

    /// Gathers the chunk's cells of a column.
    pub(crate) fn gather_column<'a>(&self, column: &'a Column<'_>) -> Result<Column<'a>, NoMemory> {
        Ok(match column {
            Column::U8(cells) => Column::U8(self.gather(cells)?),
            Column::U16(cells) => Column::U16(self.gather(cells)?),
            Column::U32(cells) => Column::U32(self.gather(cells)?),
            Column::U64(cells) => Column::U64(self.gather(cells)?),
            // The device finds them by their rows.
            Column::Computed(_) | Column::OnDevice(_) => column.clone(),
        })
    }
}

/// Returns whether the status is final.
pub(crate) fn is_finished(status: u8) -> bool {
    (COMMITTED..=mutant!("run loop: faults are not finished", FAULTED, FAULTED - 1)).contains(&status)
}

const _: () = assert!(COMMITTED < FAULTED && PENDING < COMMITTED, "finished statuses are a range");
