//! The argument columns of a batch. Each procedure has columns of its own, with one row for each of its transactions.

use kernels_gen::device::unit::ColumnWidth;

use crate::memory::{self, NoMemory};

/// The purpose of the memory, for the error when the columns do not fit.
pub(crate) const WHAT: &str = "the arguments of transactions";

/// One argument for each transaction of a procedure, in the width of its type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Column {
    U8(Vec<u8>),
    U16(Vec<u16>),
    U32(Vec<u32>),
    U64(Vec<u64>),
}

/// Evaluates an expression with the cells of a column, whatever their type.
macro_rules! with_cells {
    ($column:expr, $cells:ident => $value:expr) => {
        match $column {
            Column::U8($cells) => $value,
            Column::U16($cells) => $value,
            Column::U32($cells) => $value,
            Column::U64($cells) => $value,
        }
    };
}

impl Column {
    /// Returns an empty column.
    pub(crate) fn new(width: ColumnWidth) -> Column {
        match mutant!("columns: a narrow value takes four bytes", width, width.max(ColumnWidth::U32)) {
            ColumnWidth::U8 => Column::U8(Vec::new()),
            ColumnWidth::U16 => Column::U16(Vec::new()),
            ColumnWidth::U32 => Column::U32(Vec::new()),
            ColumnWidth::U64 => Column::U64(Vec::new()),
        }
    }

    /// Returns the width of its cells.
    pub(crate) fn width(&self) -> ColumnWidth {
        match self {
            Column::U8(_) => ColumnWidth::U8,
            Column::U16(_) => ColumnWidth::U16,
            Column::U32(_) => ColumnWidth::U32,
            Column::U64(_) => ColumnWidth::U64,
        }
    }

    /// Returns the number of rows.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        with_cells!(self, cells => cells.len())
    }

    /// Adds a row.
    #[inline]
    pub(crate) fn push(&mut self, word: u64) -> Result<(), NoMemory> {
        // Two branches that are predicted, and not a jump through a table: most values have these widths. So in `get`.
        match self {
            Column::U32(cells) => memory::push(WHAT, cells, word as u32),
            Column::U64(cells) => memory::push(WHAT, cells, word),
            _ => self.push_narrow(word),
        }
    }

    #[inline(never)]
    fn push_narrow(&mut self, word: u64) -> Result<(), NoMemory> {
        // A word has the bits of a value and then zeros, so nothing is lost.
        with_cells!(self, cells => memory::push(WHAT, cells, word as _))
    }

    /// Removes the rows from this one on.
    pub(crate) fn truncate(&mut self, rows: usize) {
        with_cells!(self, cells => cells.truncate(rows));
    }

    /// Returns the value in a row; 0 past the end.
    #[inline]
    pub(crate) fn get(&self, row: usize) -> u64 {
        match self {
            Column::U32(cells) => cells.get(row).copied().map_or(0, u64::from),
            Column::U64(cells) => cells.get(row).copied().unwrap_or(0),
            _ => self.get_narrow(row),
        }
    }

    #[inline(never)]
    fn get_narrow(&self, row: usize) -> u64 {
        with_cells!(self, cells => cells.get(row).copied().map_or(0, u64::from))
    }

    /// Makes room for that many more rows.
    pub(crate) fn reserve(&mut self, rows: usize) -> Result<(), NoMemory> {
        with_cells!(self, cells => memory::grow_by(WHAT, cells, rows))
    }

    /// Returns the bytes of that many rows, or of all if there are fewer.
    pub(crate) fn bytes(&self, rows: usize) -> u64 {
        (self.width().bytes() * self.len().min(rows)) as u64
    }
}

/// The cells of a column as a list of their type; the other three are empty. A reader that knows the width finds its list
/// without a branch.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Cells<'a> {
    u8s: &'a [u8],
    u16s: &'a [u16],
    u32s: &'a [u32],
    u64s: &'a [u64],
}

impl<'a> Cells<'a> {
    #[inline]
    pub(crate) fn of(column: &'a Column) -> Cells<'a> {
        match column {
            Column::U8(u8s) => Cells { u8s, ..Cells::default() },
            Column::U16(u16s) => Cells { u16s, ..Cells::default() },
            Column::U32(u32s) => Cells { u32s, ..Cells::default() },
            Column::U64(u64s) => Cells { u64s, ..Cells::default() },
        }
    }

    /// Returns the value in a row of a column of that width; 0 past the end.
    #[inline(always)]
    pub(crate) fn get(&self, width: ColumnWidth, row: usize) -> u64 {
        match width {
            ColumnWidth::U8 => self.u8s.get(row).copied().map_or(0, u64::from),
            ColumnWidth::U16 => self.u16s.get(row).copied().map_or(0, u64::from),
            ColumnWidth::U32 => self.u32s.get(row).copied().map_or(0, u64::from),
            ColumnWidth::U64 => self.u64s.get(row).copied().unwrap_or(0),
        }
    }
}

#[cfg(any(test, feature = "mutation"))]
pub(crate) mod tests {
    use super::*;

    hunted! {
        a_column_is_as_wide_as_its_values
    }

    #[cfg_attr(test, test)]
    fn a_column_is_as_wide_as_its_values() {
        for (bytes, most) in [(1, 0xff), (2, 0xffff), (4, 0xffff_ffff), (8, u64::MAX)] {
            let width = ColumnWidth::of(bytes);
            let mut column = Column::new(width);
            [most, 0, 1].into_iter().for_each(|word| column.push(word).unwrap());
            assert_eq!([0, 1, 2, 3].map(|row| column.get(row)), [most, 0, 1, 0]);
            assert_eq!([0, 1, 2, 3].map(|row| Cells::of(&column).get(width, row)), [most, 0, 1, 0]);
            assert_eq!((column.bytes(2), column.bytes(9)), (2 * bytes as u64, 3 * bytes as u64));
        }
    }
}
