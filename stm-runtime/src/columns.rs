//! The argument columns of a batch: shared by all its procedures, indexed by transaction.

use crate::memory::{self, NoMemory};

/// The purpose of the memory, for the error when the columns do not fit.
pub(crate) const WHAT: &str = "the arguments of transactions";

/// One argument for each transaction. It may be shorter than the batch; missing values are zero and never read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Column {
    /// Values of at most four bytes.
    U32(Vec<u32>),
    /// Values of eight bytes.
    U64(Vec<u64>),
}

/// The width class of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Width {
    /// At most four bytes.
    U32,
    /// Eight bytes.
    U64,
}

impl Width {
    /// Returns the class of a value of that many bytes.
    pub(crate) const fn of(bytes: usize) -> Width {
        if bytes <= 4 { Width::U32 } else { Width::U64 }
    }
}

impl Column {
    /// Returns an empty column.
    pub(crate) fn new(width: Width) -> Column {
        match width {
            Width::U32 => Column::U32(Vec::new()),
            Width::U64 => Column::U64(Vec::new()),
        }
    }

    /// Returns its width class.
    pub(crate) fn width(&self) -> Width {
        match self {
            Column::U32(_) => Width::U32,
            Column::U64(_) => Width::U64,
        }
    }

    /// Sets the value of the newest transaction, and zeros for earlier transactions whose procedures do not use this column.
    #[inline]
    pub(crate) fn put(&mut self, transaction: usize, word: u64) -> Result<(), NoMemory> {
        match self {
            Column::U32(cells) => put(cells, transaction, word as u32),
            Column::U64(cells) => put(cells, transaction, word),
        }
    }

    /// Removes the values from this transaction on.
    pub(crate) fn truncate(&mut self, transactions: usize) {
        match self {
            Column::U32(cells) => cells.truncate(transactions),
            Column::U64(cells) => cells.truncate(transactions),
        }
    }

    /// Returns the value of a transaction.
    pub(crate) fn get(&self, transaction: usize) -> u64 {
        match self {
            Column::U32(cells) => cells.get(transaction).copied().map_or(0, u64::from),
            Column::U64(cells) => cells.get(transaction).copied().unwrap_or(0),
        }
    }

    /// Makes room for that many more transactions.
    pub(crate) fn reserve(&mut self, transactions: usize) -> Result<(), NoMemory> {
        match self {
            Column::U32(cells) => memory::grow_by(WHAT, cells, transactions),
            Column::U64(cells) => memory::grow_by(WHAT, cells, transactions),
        }
    }

    /// Returns the bytes of a full column of that many transactions.
    pub(crate) fn bytes(&self, transactions: usize) -> u64 {
        let cell = match self.width() {
            Width::U32 => 4,
            Width::U64 => 8,
        };
        cell * transactions as u64
    }
}

#[inline]
fn put<T: Copy + Default>(cells: &mut Vec<T>, transaction: usize, value: T) -> Result<(), NoMemory> {
    if cells.len() < transaction {
        memory::grow_by(WHAT, cells, transaction - cells.len())?;
        cells.resize(transaction, T::default());
    }
    memory::push(WHAT, cells, value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn skipped_transactions_read_as_zero() {
        let mut column = Column::new(Width::U32);
        column.put(2, 7).unwrap();
        assert_eq!([0, 1, 2, 3].map(|transaction| column.get(transaction)), [0, 0, 7, 0]);
    }

    #[test]
    fn narrow_cells_keep_the_low_half() {
        let mut column = Column::new(Width::of(4));
        column.put(0, 0xffff_ffff_0000_0001).unwrap();
        assert_eq!(column.get(0), 1);
        assert_eq!(Width::of(8), Width::U64);
    }
}
