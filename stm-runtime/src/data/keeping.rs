//! How values come to live on a device: from lists, from memory of other code, and from arrays.

use std::ops::Range;
use std::panic::Location;

use kernels_gen::device::unit::ColumnWidth;
use kernels_gen::spec::Type;

use super::column::{IntoColumn, Listed, ValueColumn};
use super::device_column::DeviceColumn;
use super::foreign::{ForeignMemory, NotAdopted, owner_of};
use super::shared::Shared;
use super::value::GpuData;
use crate::backend::{Device, Foreign, hold};
use crate::columns::Column;
use crate::device_cells::DeviceCells;
use crate::error::Error;

impl Device {
    /// Copies a list of values to the device, where any number of batches can use them as arguments. On CPU threads they are in memory of the
    /// host.
    ///
    /// # Errors
    /// The host or the device has not enough memory, or the device failed.
    pub fn column<'a, T: GpuData>(&self, values: impl IntoColumn<'a, T>) -> Result<DeviceColumn<T>, Error> {
        let listed = match values.stm_listed() {
            Listed::OnDevice(column) if column.device().id() == self.id() => return Ok(column),
            listed => ValueColumn::new("values", listed),
        };
        let (len, widths) = (listed.len(), T::TYPE.scalars().into_iter().map(|scalar| ColumnWidth::of(scalar.size())));
        let mut columns: Vec<Column<'_>> = widths.map(Column::new).collect();
        listed.add_to(&mut columns, |own, rows| if rows.is_there() { own.copy(rows) } else { own.append(rows) })?;
        let cells =
            columns.iter().map(|column| Ok(DeviceCells::new(column.width(), len, self.backend().keep(column)?)));
        Ok(DeviceColumn::new(self, len, cells.collect::<Result<_, Error>>()?))
    }

    /// Returns scalars in device memory of other code as a column, without a copy. The memory is dropped with the last column that uses it.
    ///
    /// # Errors
    /// The memory is too short, freed, not aligned, or of another device or context, as far as the driver knows, or the device is no GPU
    /// ([`Error::ForeignMemory`]); or the device failed.
    #[track_caller]
    pub fn adopt_column<M: ForeignMemory>(&self, mut memory: M) -> Result<DeviceColumn<M::Element>, NotAdopted<M>> {
        const {
            assert!(
                matches!(M::Element::TYPE, Type::Scalar(_)) && M::Element::COMPONENTS == 1,
                "memory of scalars alone"
            );
        }
        let at = Location::caller();
        if let Err(mut error) = memory.join(self) {
            if let Error::ForeignMemory { at: own, .. } = &mut error {
                *own = at;
            }
            return Err(NotAdopted { memory, error });
        }
        let (address, elements) = (memory.address(), memory.elements());
        let width =
            M::Element::TYPE.scalars().first().map_or(ColumnWidth::U64, |scalar| ColumnWidth::of(scalar.size()));
        let mut foreign = Foreign { address, elements, owner: Some(Box::new(memory)), at };
        let kept = self.backend().keep_foreign(&mut foreign, width);
        match (kept, foreign.owner.and_then(owner_of)) {
            (Ok(place), _) => Ok(DeviceColumn::new(self, elements, vec![DeviceCells::new(width, elements, place)])),
            (Err(error), Some(memory)) => Err(NotAdopted { memory, error }),
            (Err(_), None) => unreachable!("who refuses memory leaves it to its owner"),
        }
    }
}

impl<T: GpuData> Shared<T> {
    /// Copies the elements to a column of the device, so that what one batch has written is an argument of the next one. Nothing passes through
    /// the host, if the elements are on the device. Waits for the end of runs that use the array.
    ///
    /// # Errors
    /// The host or the device has not enough memory, the device failed, or the call is made from inside of a run while that run or another
    /// one uses the array.
    pub fn to_column(&self) -> Result<DeviceColumn<T>, Error> {
        let arrays = self.arrays();
        let _held = hold(&arrays)?;
        let rows: Range<usize> = self.first()..self.first() + self.len();
        let cells = arrays.iter().map(|array| {
            let width = ColumnWidth::of(array.scalar().size());
            Ok(DeviceCells::new(width, rows.len(), array.column(rows.clone())?))
        });
        Ok(DeviceColumn::new(self.device(), self.len(), cells.collect::<Result<_, Error>>()?))
    }
}
