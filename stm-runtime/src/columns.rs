//! The argument columns of a table: shared by all its kinds, indexed by row.

use crate::memory::{self, NoMemory};

/// What is short where they do not fit.
pub(crate) const WHAT: &str = "the arguments of transactions";

/// One argument for each row. It may be shorter than the table; what is missing is zero and never read.
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
    /// The class of a value of that many bytes.
    pub(crate) fn of(bytes: usize) -> Width {
        if bytes <= 4 { Width::U32 } else { Width::U64 }
    }
}

impl Column {
    /// An empty column.
    pub(crate) fn new(width: Width) -> Column {
        match width {
            Width::U32 => Column::U32(Vec::new()),
            Width::U64 => Column::U64(Vec::new()),
        }
    }

    /// Its width class.
    pub(crate) fn width(&self) -> Width {
        match self {
            Column::U32(_) => Width::U32,
            Column::U64(_) => Width::U64,
        }
    }

    /// Sets the cell of the newest row, filling up rows of kinds that do not use this column.
    #[inline]
    pub(crate) fn put(&mut self, row: usize, word: u64) -> Result<(), NoMemory> {
        match self {
            Column::U32(cells) => put(cells, row, word as u32),
            Column::U64(cells) => put(cells, row, word),
        }
    }

    /// The cell of a row.
    pub(crate) fn get(&self, row: usize) -> u64 {
        match self {
            Column::U32(cells) => cells.get(row).copied().map_or(0, u64::from),
            Column::U64(cells) => cells.get(row).copied().unwrap_or(0),
        }
    }

    /// Makes room for so many rows more.
    pub(crate) fn reserve(&mut self, rows: usize) -> Result<(), NoMemory> {
        match self {
            Column::U32(cells) => memory::grow_by(WHAT, cells, rows),
            Column::U64(cells) => memory::grow_by(WHAT, cells, rows),
        }
    }

    /// Bytes of a full column of that many rows.
    pub(crate) fn bytes(&self, rows: usize) -> u64 {
        let cell = match self.width() {
            Width::U32 => 4,
            Width::U64 => 8,
        };
        cell * rows as u64
    }
}

#[inline]
fn put<T: Copy + Default>(cells: &mut Vec<T>, row: usize, value: T) -> Result<(), NoMemory> {
    if cells.len() < row {
        memory::grow_by(WHAT, cells, row - cells.len())?;
        cells.resize(row, T::default());
    }
    memory::push(WHAT, cells, value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn skipped_rows_read_as_zero() {
        let mut column = Column::new(Width::U32);
        column.put(2, 7).unwrap();
        assert_eq!([0, 1, 2, 3].map(|row| column.get(row)), [0, 0, 7, 0]);
    }

    #[test]
    fn narrow_cells_keep_the_low_half() {
        let mut column = Column::new(Width::of(4));
        column.put(0, 0xffff_ffff_0000_0001).unwrap();
        assert_eq!(column.get(0), 1);
        assert_eq!(Width::of(8), Width::U64);
    }
}
