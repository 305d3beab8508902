//! Argument columns without cells, whose values follow from the rows.

use kernels_gen::device::unit::ColumnWidth;

/// The first value of a column and what each following one is more, modulo its width.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct Computed {
    pub width: ColumnWidth,
    pub first: u64,
    pub is_counted: bool,
    pub rows: usize,
}

impl Computed {
    /// Returns the value in a row, wherever the column ends.
    pub(crate) fn at(&self, row: usize) -> u64 {
        let word = self.first.wrapping_add(if self.is_counted { row as u64 } else { 0 });
        word & (u64::MAX >> (64 - 8 * self.width.bytes()))
    }

    /// Returns whether other rows have the values that would follow.
    pub(crate) fn continues_in(&self, next: &Computed) -> bool {
        self.is_counted == next.is_counted && self.width == next.width && self.at(self.rows) == next.at(0)
    }
}
