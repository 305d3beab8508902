//! New rows of argument columns, which several threads may write.

use crate::threads::{processors, share};

/// The words for which a thread pays.
const PART: usize = if cfg!(test) { 1 << 5 } else { 1 << 18 };

/// New rows of a column, to be written.
#[doc(hidden)]
#[derive(Debug)]
#[allow(missing_docs)]
pub enum CellsMut<'c> {
    U8(&'c mut [u8]),
    U16(&'c mut [u16]),
    U32(&'c mut [u32]),
    U64(&'c mut [u64]),
}

impl<'c> CellsMut<'c> {
    /// Splits off the first rows.
    pub(crate) fn split_first(self, rows: usize) -> (CellsMut<'c>, CellsMut<'c>) {
        macro_rules! split {
            ($variant:ident, $cells:expr) => {{
                let (first, rest) = $cells.split_at_mut(rows.min($cells.len()));
                (CellsMut::$variant(first), CellsMut::$variant(rest))
            }};
        }
        match self {
            CellsMut::U8(cells) => split!(U8, cells),
            CellsMut::U16(cells) => split!(U16, cells),
            CellsMut::U32(cells) => split!(U32, cells),
            CellsMut::U64(cells) => split!(U64, cells),
        }
    }

    /// Returns the number of rows.
    pub(crate) fn len(&self) -> usize {
        match self {
            CellsMut::U8(cells) => cells.len(),
            CellsMut::U16(cells) => cells.len(),
            CellsMut::U32(cells) => cells.len(),
            CellsMut::U64(cells) => cells.len(),
        }
    }

    /// Returns the bytes of the rows, as they lie in memory.
    pub(crate) fn bytes(&mut self) -> &mut [u8] {
        match self {
            CellsMut::U8(cells) => cells,
            CellsMut::U16(cells) => bytemuck::cast_slice_mut(cells),
            CellsMut::U32(cells) => bytemuck::cast_slice_mut(cells),
            CellsMut::U64(cells) => bytemuck::cast_slice_mut(cells),
        }
    }

    /// Writes words to all rows, by several threads if there are many.
    pub(crate) fn put_all(self, words: &[u64]) {
        let mut rest = Some(self);
        let parts = words.chunks(PART).map(|words| {
            let (first, others) = rest.take().unwrap_or(CellsMut::U8(&mut [])).split_first(words.len());
            rest = Some(others);
            (first, words)
        });
        let threads = processors().min(words.len().div_ceil(PART));
        share(threads, parts, |(mut cells, words)| cells.put(0, words.iter().copied()));
    }

    /// Copies rows to another place among them.
    #[cfg(feature = "rayon")]
    pub(crate) fn shift(&mut self, rows: std::ops::Range<usize>, to: usize) {
        match self {
            CellsMut::U8(cells) => cells.copy_within(rows, to),
            CellsMut::U16(cells) => cells.copy_within(rows, to),
            CellsMut::U32(cells) => cells.copy_within(rows, to),
            CellsMut::U64(cells) => cells.copy_within(rows, to),
        }
    }

    /// Writes words from a row on.
    #[inline]
    pub(crate) fn put(&mut self, first: usize, words: impl Iterator<Item = u64>) {
        macro_rules! put {
            ($cells:expr) => {
                $cells[first..].iter_mut().zip(words).for_each(|(cell, word)| *cell = word as _)
            };
        }
        match self {
            CellsMut::U8(cells) => put!(cells),
            CellsMut::U16(cells) => put!(cells),
            CellsMut::U32(cells) => put!(cells),
            CellsMut::U64(cells) => put!(cells),
        }
    }
}

/// Splits off the first rows of some columns.
pub(crate) fn split_first(cells: Vec<CellsMut<'_>>, rows: usize) -> (Vec<CellsMut<'_>>, Vec<CellsMut<'_>>) {
    cells.into_iter().map(|cells| cells.split_first(rows)).unzip()
}
