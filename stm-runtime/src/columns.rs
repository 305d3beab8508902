//! The argument columns of a batch. Each procedure has columns of its own, with one row for each of its transactions.

use std::borrow::Cow;

use bytemuck::{AnyBitPattern, NoUninit};
use kernels_gen::device::unit::{ColumnSource, ColumnSpec, ColumnWidth};

use crate::computed::Computed;
use crate::device_cells::{DeviceCells, NotAdded};
use crate::error::Error;
use crate::memory::{self, NoMemory};
use crate::new_rows::CellsMut;

/// The purpose of the memory, for the error when the columns do not fit.
pub(crate) const WHAT: &str = "the arguments of transactions";

/// One argument for each transaction of a procedure, in the width of its type. The cells are the batch's own, or a list that the user
/// lent to the batch.
#[doc(hidden)]
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Column<'a> {
    U8(Cow<'a, [u8]>),
    U16(Cow<'a, [u16]>),
    U32(Cow<'a, [u32]>),
    U64(Cow<'a, [u64]>),
    /// No cells: the values follow from the rows.
    Computed(Computed),
    /// Cells in the memory of a device.
    OnDevice(DeviceCells),
}

/// Evaluates an expression with the cells of a column, whatever their type, or others where it has none on the host.
macro_rules! with_cells {
    ($column:expr, $cells:ident => $value:expr, $computed:ident => $none:expr, $device:ident => $far:expr) => {
        match $column {
            Column::U8($cells) => $value,
            Column::U16($cells) => $value,
            Column::U32($cells) => $value,
            Column::U64($cells) => $value,
            Column::Computed($computed) => $none,
            Column::OnDevice($device) => $far,
        }
    };
}

/// Evaluates an expression with the cells of two columns of the same width, or another one where the widths differ.
macro_rules! with_both {
    ($one:expr, $other:expr, ($a:ident, $b:ident) => $value:expr, else $differ:expr) => {
        match ($one, $other) {
            (Column::U8($a), Column::U8($b)) => $value,
            (Column::U16($a), Column::U16($b)) => $value,
            (Column::U32($a), Column::U32($b)) => $value,
            (Column::U64($a), Column::U64($b)) => $value,
            _ => $differ,
        }
    };
}

/// Evaluates an expression with the cells of a column, which become those of the new rows.
macro_rules! with_own {
    ($column:expr, $cells:ident => $value:expr) => {
        match $column {
            Column::U8($cells) => Ok(CellsMut::U8($value?)),
            Column::U16($cells) => Ok(CellsMut::U16($value?)),
            Column::U32($cells) => Ok(CellsMut::U32($value?)),
            Column::U64($cells) => Ok(CellsMut::U64($value?)),
            Column::Computed(_) | Column::OnDevice(_) => Ok(CellsMut::U8(&mut [])),
        }
    };
}

impl<'a> Column<'a> {
    /// Returns an empty column.
    pub(crate) fn new(width: ColumnWidth) -> Column<'a> {
        match mutant!("columns: a narrow value takes four bytes", width, width.max(ColumnWidth::U32)) {
            ColumnWidth::U8 => Column::U8(Cow::default()),
            ColumnWidth::U16 => Column::U16(Cow::default()),
            ColumnWidth::U32 => Column::U32(Cow::default()),
            ColumnWidth::U64 => Column::U64(Cow::default()),
        }
    }

    /// Returns the width of its cells.
    pub(crate) fn width(&self) -> ColumnWidth {
        match self {
            Column::U8(_) => ColumnWidth::U8,
            Column::U16(_) => ColumnWidth::U16,
            Column::U32(_) => ColumnWidth::U32,
            Column::U64(_) => ColumnWidth::U64,
            Column::Computed(computed) => computed.width,
            Column::OnDevice(cells) => cells.width(),
        }
    }

    /// Returns the column for the compiler.
    pub(crate) fn spec(&self) -> ColumnSpec {
        let source = match self.computed() {
            None => ColumnSource::Listed,
            Some(computed) if computed.is_counted => ColumnSource::Counted,
            Some(_) => ColumnSource::Same,
        };
        ColumnSpec { source, ..self.width().listed() }
    }

    /// Returns how the values follow from the rows, if they do.
    pub(crate) fn computed(&self) -> Option<&Computed> {
        if let Column::Computed(computed) = self { Some(computed) } else { None }
    }

    /// Returns the cells on the device, if they are there.
    pub(crate) fn on_device(&self) -> Option<&DeviceCells> {
        if let Column::OnDevice(cells) = self { Some(cells) } else { None }
    }

    /// Returns whether there is nothing to copy to a device.
    pub(crate) fn is_there(&self) -> bool {
        matches!(self, Column::Computed(_) | Column::OnDevice(_))
    }

    /// Makes the values cells of the batch's own, if they are computed or on a device.
    fn write_out(&mut self, more: usize) -> Result<(), NotAdded> {
        if let Some(computed) = self.computed() {
            *self = listed(computed, more)?;
        } else if let Column::OnDevice(cells) = self {
            let mut own = Column::new(cells.width());
            own.reserve(cells.rows().saturating_add(more.max(cells.rows())))?;
            own.copy(fetched(cells)?)?;
            *self = own;
        }
        Ok(())
    }

    /// Returns the cells one after the other, from the lowest bits of the words on.
    pub(crate) fn packed(&self) -> Result<Vec<u64>, NoMemory> {
        let bytes: &[u8] = with_cells!(self, cells => bytemuck::cast_slice(cells), _computed => &[], _device => &[]);
        let mut words = memory::zeroed::<u64>(WHAT, bytes.len().div_ceil(8))?;
        bytemuck::cast_slice_mut(&mut words)[..bytes.len()].copy_from_slice(bytes);
        Ok(words)
    }

    /// Returns the number of rows.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        with_cells!(self, cells => cells.len(), computed => computed.rows, device => device.rows())
    }

    /// Adds a row.
    #[inline(always)]
    pub(crate) fn push(&mut self, word: u64) -> Result<(), NotAdded> {
        // Two branches that are predicted, and not a jump through a table: most values have these widths. So in `get`.
        match self {
            Column::U32(Cow::Owned(cells)) if cells.len() < cells.capacity() => cells.push(word as u32),
            Column::U64(Cow::Owned(cells)) if cells.len() < cells.capacity() => cells.push(word),
            _ => return self.push_other(word),
        }
        Ok(())
    }

    /// Adds a row to a column of narrow values, or one that is full, or has cells that are not its own.
    #[inline(never)]
    fn push_other(&mut self, word: u64) -> Result<(), NotAdded> {
        self.write_out(1)?;
        // A word has the bits of a value and then zeros, so nothing is lost.
        with_cells!(self, cells => Ok(memory::push(WHAT, own(cells, 1)?, word as _)?), _computed => Ok(()), _device => Ok(()))
    }

    /// Adds the rows of another column of the same width. An empty column takes the cells as they are, without a copy. Where it
    /// fails, the column is as it was.
    pub(crate) fn append(&mut self, rows: Column<'a>) -> Result<(), NotAdded> {
        if mutant!("columns: later columns replace earlier ones", self.len() == 0, true) {
            *self = rows;
            return Ok(());
        }
        if let (Column::Computed(own), Column::Computed(next)) = (&mut *self, &rows)
            && own.continues_in(next)
        {
            own.rows += next.rows;
            return Ok(());
        }
        if let (Column::OnDevice(own), Column::OnDevice(next)) = (&mut *self, &rows)
            && let Some(joined) = own.joined(next)
        {
            *own = joined;
            return Ok(());
        }
        self.copy(rows)
    }

    /// Adds the rows of another column of the same width as cells. It lives as long as it likes. Where it fails, the column is as it was.
    pub(crate) fn copy(&mut self, rows: Column<'_>) -> Result<(), NotAdded> {
        self.write_out(rows.len())?;
        let rows = match &rows {
            Column::Computed(computed) => listed(computed, 0)?,
            Column::OnDevice(cells) => fetched(cells)?,
            _ => rows,
        };
        with_both!(self, rows, (cells, more) => {
            let list = own(cells, 0)?;
            match more {
                // No copy, unless it would cost the memory for later rows.
                Cow::Owned(more) if list.is_empty() && list.capacity() <= more.capacity() => *list = more,
                more => {
                    memory::grow_by(WHAT, list, more.len())?;
                    list.extend_from_slice(&more);
                }
            }
            Ok(())
        }, else Ok(()))
    }

    /// Moves the rows of another column of the same width to the end. An empty column takes them without a copy, and gives its memory for
    /// them. Where it fails, the column is as it was, and the other one is empty in any case.
    pub(crate) fn take(&mut self, rows: &mut Column<'static>) -> Result<(), NotAdded> {
        self.write_out(rows.len())?;
        rows.write_out(0)?;
        with_both!(self, rows, (cells, more) => {
            let (list, more) = (own(cells, 0)?, own(more, 0)?);
            // But not if that would cost the memory for later rows.
            let moved = if list.is_empty() && list.capacity() <= more.capacity() {
                std::mem::swap(list, more);
                Ok(())
            } else {
                memory::grow_by(WHAT, list, more.len()).map(|()| list.extend_from_slice(more))
            };
            more.clear();
            Ok(moved?)
        }, else Ok(()))
    }

    /// Adds rows of zeros, and returns them.
    pub(crate) fn grow(&mut self, rows: usize) -> Result<CellsMut<'_>, NotAdded> {
        self.write_out(rows)?;
        with_own!(self, cells => grow(cells, rows))
    }

    /// Returns that many rows after the first ones, which stay. What they hold is to be written: as far as the column has rows there, it
    /// is not made anew.
    #[cfg(feature = "rayon")]
    pub(crate) fn open(&mut self, first: usize, rows: usize) -> Result<CellsMut<'_>, NotAdded> {
        self.write_out(rows)?;
        with_own!(self, cells => open(cells, first, rows))
    }

    /// Removes the rows from this one on.
    pub(crate) fn truncate(&mut self, rows: usize) {
        with_cells!(self, cells => match cells {
            Cow::Borrowed(lent) => *lent = &lent[..rows.min(lent.len())],
            Cow::Owned(own) => own.truncate(rows),
        }, computed => computed.rows = rows.min(computed.rows), device => *device = device.range(0..rows.min(device.rows())));
    }

    /// Returns the cells that are the column's own, for another batch: memory, whose rows mean nothing any more.
    pub(crate) fn used<'b>(self) -> Column<'b> {
        fn used<'b, T: Clone>(cells: Cow<'_, [T]>) -> Cow<'b, [T]> {
            if let Cow::Owned(own) = cells { Cow::Owned(own) } else { Cow::default() }
        }
        match self {
            Column::U8(cells) => Column::U8(used(cells)),
            Column::U16(cells) => Column::U16(used(cells)),
            Column::U32(cells) => Column::U32(used(cells)),
            Column::U64(cells) => Column::U64(used(cells)),
            Column::Computed(_) | Column::OnDevice(_) => Column::new(self.width()),
        }
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
        with_cells!(self, cells => cells.get(row).copied().map_or(0, u64::from),
            computed => if row < computed.rows { computed.at(row) } else { 0 },
            device => if row < device.rows() { device.word(row).unwrap_or(0) } else { 0 })
    }

    /// Makes room for that many more rows. A column without cells needs none.
    pub(crate) fn reserve(&mut self, rows: usize) -> Result<(), NoMemory> {
        with_cells!(self, cells => own(cells, rows).map(|_| ()), _computed => Ok(()), _device => Ok(()))
    }

    /// Returns the bytes of the cells of that many rows, or of all if there are fewer.
    pub(crate) fn bytes(&self, rows: usize) -> u64 {
        let rows = if self.is_there() { 0 } else { self.len().min(rows) };
        (self.width().bytes() * rows) as u64
    }
}

/// Returns computed values as cells, with room for some more.
fn listed<'a>(computed: &Computed, more: usize) -> Result<Column<'a>, NotAdded> {
    let mut column = Column::new(computed.width);
    // At least double, so that single rows that follow cost little each.
    column.reserve(computed.rows.saturating_add(more.max(computed.rows)))?;
    (0..computed.rows).try_for_each(|row| column.push(computed.at(row)))?;
    Ok(column)
}

/// Returns cells of a device as a column on the host.
pub(crate) fn fetched(cells: &DeviceCells) -> Result<Column<'_>, Error> {
    cells.fetch()?;
    Ok(match cells.width() {
        ColumnWidth::U8 => Column::U8(Cow::Borrowed(cells.cells())),
        ColumnWidth::U16 => Column::U16(Cow::Borrowed(cells.cells())),
        ColumnWidth::U32 => Column::U32(Cow::Borrowed(cells.cells())),
        ColumnWidth::U64 => Column::U64(Cow::Borrowed(cells.cells())),
    })
}

/// Returns the cells as a list of the batch's own, with room for that many more. Cells that the user lent are copied.
fn own<'c, T: Copy>(cells: &'c mut Cow<'_, [T]>, more: usize) -> Result<&'c mut Vec<T>, NoMemory> {
    if let Cow::Borrowed(lent) = *cells {
        // At least double, so that single rows that follow cost little each.
        let mut list = memory::with_room(WHAT, lent.len().saturating_add(more.max(lent.len())))?;
        list.extend_from_slice(lent);
        *cells = Cow::Owned(list);
    }
    let list = cells.to_mut();
    if list.capacity() - list.len() < more {
        memory::grow_by(WHAT, list, more)?;
    }
    Ok(list)
}

fn grow<'c, T: Copy + bytemuck::Zeroable>(cells: &'c mut Cow<'_, [T]>, rows: usize) -> Result<&'c mut [T], NoMemory> {
    let before = cells.len();
    let list = own(cells, 0)?;
    if list.capacity() == 0 {
        // The pages of these zeros are made by the threads that first write to them.
        *list = memory::zeroed(WHAT, rows)?;
    } else {
        memory::grow_by(WHAT, list, rows)?;
        list.resize(before + rows, T::zeroed());
    }
    Ok(&mut list[before..])
}

#[cfg(feature = "rayon")]
fn open<'c, T: Copy + bytemuck::Zeroable>(
    cells: &'c mut Cow<'_, [T]>,
    first: usize,
    rows: usize,
) -> Result<&'c mut [T], NoMemory> {
    let (list, end) = (own(cells, 0)?, first.saturating_add(rows));
    if list.len() < end / 2 {
        // One thread would touch most of the memory here, and with these zeros it is those that write the rows.
        let mut all = memory::zeroed(WHAT, end)?;
        all[..first].copy_from_slice(&list[..first]);
        *list = all;
    } else if list.len() < end {
        memory::grow_by(WHAT, list, end - list.len())?;
        list.resize(end, T::zeroed());
    }
    Ok(&mut list[first..end])
}

/// Returns the same list with values as cells of the same size. Returns the values where the host has another size for them, or aligns
/// them in another way.
pub(crate) fn cells_of<T: NoUninit, C: AnyBitPattern + NoUninit>(
    values: Cow<'_, [T]>,
) -> Result<Cow<'_, [C]>, Cow<'_, [T]>> {
    if size_of::<T>() != size_of::<C>() {
        return Err(values);
    }
    match values {
        Cow::Borrowed(list) => bytemuck::try_cast_slice(list).map(Cow::Borrowed).map_err(|_| Cow::Borrowed(list)),
        Cow::Owned(list) => {
            bytemuck::allocation::try_cast_vec(list).map(Cow::Owned).map_err(|(_, list)| Cow::Owned(list))
        }
    }
}

#[cfg(any(test, feature = "mutation"))]
pub(crate) mod tests {
    use super::*;
    use crate::cells::Cells;

    hunted! {
        a_column_is_as_wide_as_its_values
        rows_that_follow_lent_ones_come_after_them
        computed_values_take_no_memory_and_are_written_out_where_others_follow
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

    #[cfg_attr(test, test)]
    fn rows_that_follow_lent_ones_come_after_them() {
        let lent = [5_u32, 6];
        let mut column = Column::new(ColumnWidth::U32);
        column.append(Column::U32(Cow::Borrowed(&lent))).unwrap();
        assert!(matches!(&column, Column::U32(Cow::Borrowed(cells)) if std::ptr::eq(*cells, &lent[..])));
        column.append(Column::U32(Cow::Owned(vec![7]))).unwrap();
        column.push(8).unwrap();
        assert_eq!([0, 1, 2, 3].map(|row| column.get(row)), [5, 6, 7, 8]);
        column.grow(2).unwrap().put(1, [9].into_iter());
        assert_eq!((column.len(), column.get(4), column.get(5)), (6, 0, 9));
        column.truncate(1);
        assert_eq!(column.used().len(), 1);
        assert_eq!(Column::U32(Cow::Borrowed(&lent)).used().len(), 0);
    }

    #[cfg_attr(test, test)]
    fn computed_values_take_no_memory_and_are_written_out_where_others_follow() {
        let computed = |first, is_counted, rows| Computed { width: ColumnWidth::U8, first, is_counted, rows };
        let all = |column: &Column<'_>| (0..column.len()).map(|row| column.get(row)).collect::<Vec<_>>();
        let mut column = Column::new(ColumnWidth::U8);
        column.append(Column::Computed(computed(253, true, 2))).unwrap();
        column.append(Column::Computed(computed(255, true, 2))).unwrap();
        assert_eq!((column.bytes(9), all(&column), column.get(4)), (0, vec![253, 254, 255, 0], 0), "modulo the width");
        assert_eq!([0, 3].map(|row| Cells::of(&column).get(ColumnWidth::U8, row)), [253, 0]);
        let mut same = Column::Computed(computed(7, false, 1));
        same.append(Column::Computed(computed(7, false, 2))).unwrap();
        assert_eq!((same.computed().is_some(), all(&same)), (true, vec![7; 3]));
        column.append(same.clone()).unwrap();
        same.push(9).unwrap();
        assert_eq!((all(&column), all(&same)), (vec![253, 254, 255, 0, 7, 7, 7], vec![7, 7, 7, 9]));
        let mut cut = Column::Computed(computed(1, true, 9));
        cut.truncate(2);
        cut.grow(2).unwrap().put(1, [5].into_iter());
        assert_eq!((all(&cut), cut.used().len()), (vec![1, 2, 0, 5], 4));
    }

    #[test]
    fn values_are_cells_where_they_lie() {
        let values = [-1_i64, 3];
        let cells: Cow<'_, [u64]> = cells_of(Cow::Borrowed(&values[..])).unwrap();
        assert_eq!((cells.as_ptr().addr(), &cells[..]), (values.as_ptr().addr(), &[u64::MAX, 3][..]));
        assert!(cells_of::<u32, u64>(Cow::Borrowed(&[1, 2])).is_err(), "of another size");
        let flags: Cow<'_, [u8]> = cells_of(Cow::Owned(vec![true, false])).unwrap();
        assert_eq!(flags, Cow::<[u8]>::Owned(vec![1, 0]));
    }
}
