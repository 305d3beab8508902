//! Host memory to copy from and into, by the type of its integers.

use std::ops::Range;

use crate::columns::Column;

/// Host memory to copy from. With these variants, the loop casts nothing to bytes.
#[derive(Clone, Copy)]
pub(crate) enum HostSlice<'a> {
    U8(&'a [u8]),
    U16(&'a [u16]),
    U32(&'a [u32]),
    U64(&'a [u64]),
}

impl<'a> HostSlice<'a> {
    /// Returns the cells of a column.
    pub(crate) fn of(column: &'a Column<'_>) -> HostSlice<'a> {
        match column {
            Column::U8(cells) => HostSlice::U8(cells),
            Column::U16(cells) => HostSlice::U16(cells),
            Column::U32(cells) => HostSlice::U32(cells),
            Column::U64(cells) => HostSlice::U64(cells),
            Column::Computed(_) | Column::OnDevice(_) => HostSlice::U8(&[]),
        }
    }

    /// Returns the bytes of one item.
    pub(crate) fn each(&self) -> usize {
        match self {
            HostSlice::U8(_) => 1,
            HostSlice::U16(_) => 2,
            HostSlice::U32(_) => 4,
            HostSlice::U64(_) => 8,
        }
    }

    /// Returns the number of items.
    pub(crate) fn len(&self) -> usize {
        self.bytes().len() / self.each()
    }

    /// Returns some of the items.
    pub(crate) fn part(&self, items: Range<usize>) -> HostSlice<'a> {
        match self {
            HostSlice::U8(cells) => HostSlice::U8(&cells[items]),
            HostSlice::U16(cells) => HostSlice::U16(&cells[items]),
            HostSlice::U32(cells) => HostSlice::U32(&cells[items]),
            HostSlice::U64(cells) => HostSlice::U64(&cells[items]),
        }
    }

    /// Returns its bytes, as they lie in memory.
    pub(crate) fn bytes(&self) -> &'a [u8] {
        match self {
            HostSlice::U8(cells) => cells,
            HostSlice::U16(cells) => bytemuck::cast_slice(cells),
            HostSlice::U32(cells) => bytemuck::cast_slice(cells),
            HostSlice::U64(cells) => bytemuck::cast_slice(cells),
        }
    }
}

/// Host memory to copy into.
pub(crate) enum HostSliceMut<'a> {
    U8(&'a mut [u8]),
    U32(&'a mut [u32]),
    U64(&'a mut [u64]),
}

impl HostSliceMut<'_> {
    /// Returns its bytes.
    pub(crate) fn bytes(&mut self) -> &mut [u8] {
        match self {
            HostSliceMut::U8(cells) => cells,
            HostSliceMut::U32(cells) => bytemuck::cast_slice_mut(cells),
            HostSliceMut::U64(cells) => bytemuck::cast_slice_mut(cells),
        }
    }
}
