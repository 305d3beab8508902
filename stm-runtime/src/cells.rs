//! The argument columns as the functions of transactions read them.

use kernels_gen::device::unit::ColumnWidth;

use crate::columns::Column;
use crate::computed::Computed;
use crate::device_cells::DeviceCells;

/// The cells of a column as a list of their type; the other three are empty, and all of them if its values are computed. A reader that
/// knows the width finds its list without a branch.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Cells<'a> {
    computed: Option<Computed>,
    u8s: &'a [u8],
    u16s: &'a [u16],
    u32s: &'a [u32],
    u64s: &'a [u64],
}

impl<'a> Cells<'a> {
    #[inline]
    pub(crate) fn of(column: &'a Column<'_>) -> Cells<'a> {
        match column {
            Column::U8(u8s) => Cells { u8s, ..Cells::default() },
            Column::U16(u16s) => Cells { u16s, ..Cells::default() },
            Column::U32(u32s) => Cells { u32s, ..Cells::default() },
            Column::U64(u64s) => Cells { u64s, ..Cells::default() },
            Column::Computed(computed) => Cells { computed: Some(*computed), ..Cells::default() },
            Column::OnDevice(cells) => Cells::of_device(cells),
        }
    }

    /// Returns cells that were fetched from a device.
    fn of_device(cells: &'a DeviceCells) -> Cells<'a> {
        match cells.width() {
            ColumnWidth::U8 => Cells { u8s: cells.cells(), ..Cells::default() },
            ColumnWidth::U16 => Cells { u16s: cells.cells(), ..Cells::default() },
            ColumnWidth::U32 => Cells { u32s: cells.cells(), ..Cells::default() },
            ColumnWidth::U64 => Cells { u64s: cells.cells(), ..Cells::default() },
        }
    }

    /// Returns the value in a row of a column of that width; past the end of its cells 0.
    #[inline(always)]
    pub(crate) fn get(&self, width: ColumnWidth, row: usize) -> u64 {
        let cell = match width {
            ColumnWidth::U8 => self.u8s.get(row).copied().map(u64::from),
            ColumnWidth::U16 => self.u16s.get(row).copied().map(u64::from),
            ColumnWidth::U32 => self.u32s.get(row).copied().map(u64::from),
            ColumnWidth::U64 => self.u64s.get(row).copied(),
        };
        cell.unwrap_or_else(|| self.computed(row))
    }

    #[inline(never)]
    fn computed(&self, row: usize) -> u64 {
        self.computed.map_or(0, |computed| computed.at(row))
    }
}
