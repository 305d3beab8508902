//! The rows of a chunk's transactions in the argument columns of their procedures.

use std::borrow::Cow;
use std::ops::Range;

use super::transactions::{Transactions, WHAT};
use crate::backend::Job;
use crate::memory::{self, NoMemory};

/// Which rows a chunk has of each procedure's columns, and how its transactions find them.
#[derive(Debug)]
pub(crate) enum ChunkRows<'t> {
    /// The batch has one procedure: a transaction and its row have the same number.
    Same(&'t Transactions<'t>),
    /// Neighbours: a range of rows of each procedure. Their numbers stay those of the batch.
    Ranges { transactions: Range<usize>, rows: Vec<Range<usize>> },
    /// Some: the number of each transaction's row in the chunk, and the rows of each procedure.
    Picked { numbers: Vec<u32>, rows: Vec<Vec<usize>> },
}

impl<'t> ChunkRows<'t> {
    pub(crate) fn of(job: &Job<'_>, transactions: &'t Transactions<'t>) -> Result<ChunkRows<'t>, NoMemory> {
        let Some(rows) = job.rows else { return Ok(ChunkRows::Same(transactions)) };
        let procedure = |transaction| job.procedure_index(transaction);
        match transactions {
            Transactions::Range(range) if range.len() == job.transactions => {
                // All rows, however many a procedure has.
                let all = vec![0..usize::MAX; job.procedures.len()];
                Ok(ChunkRows::Ranges { transactions: range.clone(), rows: all })
            }
            Transactions::Range(range) => Ok(ranges(range.clone(), rows, job.procedures.len(), procedure)),
            Transactions::Picked(picked) => pick(picked, rows, job.procedures.len(), procedure),
        }
    }

    /// Takes the numbers of the transactions' rows on the device. `rows` is that of all transactions of the batch.
    pub(crate) fn take_numbers<'r>(&mut self, rows: &'r [u32]) -> Cow<'r, [u32]> {
        match self {
            ChunkRows::Same(_) => Cow::default(),
            ChunkRows::Ranges { transactions, .. } => Cow::Borrowed(&rows[transactions.clone()]),
            ChunkRows::Picked { numbers, .. } => Cow::Owned(std::mem::take(numbers)),
        }
    }

    /// Returns the rows of a procedure that the chunk has.
    pub(crate) fn of_procedure(&self, procedure: usize) -> Transactions<'_> {
        match self {
            ChunkRows::Same(transactions) => (*transactions).clone(),
            ChunkRows::Ranges { rows, .. } => Transactions::Range(rows[procedure].clone()),
            ChunkRows::Picked { rows, .. } => Transactions::Picked(&rows[procedure]),
        }
    }

    /// Returns the row in the batch of a procedure's row 0 on the device, where those that follow on the device do so in the batch.
    pub(crate) fn begin(&self) -> usize {
        match self {
            ChunkRows::Same(Transactions::Range(range)) => {
                mutant!("chunks: every chunk counts from the first row", range.start, 0)
            }
            // The rows have the numbers of the batch.
            ChunkRows::Same(Transactions::Picked(_)) | ChunkRows::Ranges { .. } | ChunkRows::Picked { .. } => 0,
        }
    }

    /// Returns the number of the first row of a procedure on the device.
    pub(crate) fn first(&self, procedure: usize) -> usize {
        match self {
            ChunkRows::Ranges { rows, .. } => {
                mutant!("chunks: every chunk begins at the first row", rows[procedure].start, 0)
            }
            ChunkRows::Same(_) | ChunkRows::Picked { .. } => 0,
        }
    }
}

fn ranges(
    transactions: Range<usize>,
    rows: &[u32],
    procedures: usize,
    procedure: impl Fn(usize) -> usize,
) -> ChunkRows<'static> {
    let mut ranges = vec![0..0; procedures];
    for transaction in transactions.clone() {
        let (row, range) = (rows[transaction] as usize, &mut ranges[procedure(transaction)]);
        // Rows ascend with transactions.
        *range = if range.start == range.end { row..row + 1 } else { range.start..row + 1 };
    }
    ChunkRows::Ranges { transactions, rows: ranges }
}

fn pick(
    transactions: &[usize],
    rows: &[u32],
    procedures: usize,
    procedure: impl Fn(usize) -> usize,
) -> Result<ChunkRows<'static>, NoMemory> {
    let mut numbers = memory::with_room(WHAT, transactions.len())?;
    let mut picked = vec![Vec::new(); procedures];
    for transaction in transactions {
        let own = &mut picked[procedure(*transaction)];
        numbers.push(mutant!("chunks: what is left has the rows of others", own.len(), numbers.len()) as u32);
        memory::push(WHAT, own, rows[*transaction] as usize)?;
    }
    Ok(ChunkRows::Picked { numbers, rows: picked })
}

#[cfg(any(test, feature = "mutation"))]
pub(crate) mod tests {
    use super::*;

    hunted! {
        a_chunk_has_a_range_of_rows_of_each_procedure
        picked_transactions_have_rows_in_their_order
    }

    /// The procedure of each transaction, and its row there.
    const PROCEDURES: [usize; 7] = [0, 1, 0, 0, 1, 2, 0];
    const ROWS: [u32; 7] = [0, 0, 1, 2, 1, 0, 3];

    #[cfg_attr(test, test)]
    fn a_chunk_has_a_range_of_rows_of_each_procedure() {
        let mut rows = ranges(2..5, &ROWS, 3, |transaction| PROCEDURES[transaction]);
        assert_eq!(rows.take_numbers(&ROWS)[..], [1, 2, 1]);
        let of = |procedure: usize| {
            let Transactions::Range(range) = rows.of_procedure(procedure) else { panic!("a range") };
            (range, rows.first(procedure))
        };
        assert_eq!([of(0), of(1), of(2)], [(1..3, 1), (1..2, 1), (0..0, 0)]);
    }

    #[cfg_attr(test, test)]
    fn picked_transactions_have_rows_in_their_order() {
        let mut rows = pick(&[6, 4, 0], &ROWS, 3, |transaction| PROCEDURES[transaction]).unwrap();
        assert_eq!(rows.take_numbers(&ROWS)[..], [0, 0, 1]);
        let of = |procedure: usize| {
            let Transactions::Picked(picked) = rows.of_procedure(procedure) else { panic!("a list") };
            (picked.to_vec(), rows.first(procedure))
        };
        assert_eq!([of(0), of(1), of(2)], [(vec![3, 0], 0), (vec![1], 0), (vec![], 0)]);
    }
}
