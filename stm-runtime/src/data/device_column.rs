//! Lists of values that live on a device, for the arguments of transactions.

use std::fmt;
use std::marker::PhantomData;
use std::ops::RangeBounds;
use std::panic::Location;

use kernels_gen::device::unit::ColumnWidth;

use super::elements::bounds_of;
use super::value::{GpuData, value_of};
use crate::backend::Device;
use crate::columns::{WHAT, fetched};
use crate::device_cells::DeviceCells;
use crate::error::Error;
use crate::memory;

/// Values that live on a device, one for each transaction: [`Device::column`]. They never change.
///
/// Clones are the same values. Any number of batches use a column, each as often as it likes, and nothing is copied: its transactions read
/// it where it is. A batch keeps what it uses. On CPU threads, the values are in memory of the host.
///
/// Ranges of a column that follow each other stay one list in a batch. These copy the values to the host, once for each range, and they
/// stay there as long as it: a proof, the cores of the host where the plan has them run a batch or its rest, other calls of the procedure
/// that follow in the batch (all its arguments become lists then), a pipeline, partition numbers, and `to_vec`. The plan copies a sample of a few
/// thousand values, and a message those that it names. What is left of a batch in chunks gets its arguments by a copy on the device.
///
/// ```
/// use stm_runtime::prelude::*;
///
/// #[gpu_transaction]
/// fn deposit(tx: &mut Tx, accounts: &Shared<i64>, to: u32, amount: i64) -> TxResult {
///     tx.update(accounts, to, |balance| balance + amount)
/// }
///
/// # fn main() -> Result<(), Error> {
/// let device = Device::cpu(2);
/// let accounts = device.shared(&[100_i64; 4])?;
/// let to = device.column(&[0_u32, 1, 2, 3])?; // copied to the device once
/// for amount in [1, 10] {
///     let (mut batch, amounts) = (device.batch(), [amount; 4]);
///     batch.push_columns(deposit::columns(&accounts, &to, &amounts))?;
///     batch.push_columns(deposit::columns(&accounts, to.range(2..)?, accounts.to_column()?.range(..2)?))?;
///     batch.run()?;
/// }
/// assert_eq!(accounts.to_vec()?, [111, 111, 312, 312]);
/// # Ok(())
/// # }
/// ```
pub struct DeviceColumn<T: GpuData> {
    device: Device,
    len: usize,
    /// Those of each component.
    cells: Vec<DeviceCells>,
    of: PhantomData<fn() -> T>,
}

impl<T: GpuData> DeviceColumn<T> {
    pub(super) fn new(device: &Device, len: usize, cells: Vec<DeviceCells>) -> DeviceColumn<T> {
        DeviceColumn { device: device.clone(), len, cells, of: PhantomData }
    }

    /// Returns values on the device of which each component is a list of words there.
    pub(crate) fn of_words(
        device: &Device,
        len: usize,
        words: impl Fn(usize) -> DeviceCells,
    ) -> Result<DeviceColumn<T>, Error> {
        let widths = T::TYPE.scalars().into_iter().map(|scalar| ColumnWidth::of(scalar.size()));
        let cells = widths.enumerate().map(|(component, width)| words(component).narrowed(width));
        Ok(DeviceColumn::new(device, len, cells.collect::<Result<_, _>>()?))
    }

    /// Returns the number of values.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns the device.
    #[must_use]
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// Returns some of the values as a column, without a copy. All of them stay on the device as long as it lives.
    ///
    /// # Errors
    /// The range is not within the column ([`Error::Range`]).
    #[track_caller]
    pub fn range(&self, range: impl RangeBounds<usize>) -> Result<DeviceColumn<T>, Error> {
        let (rows, len) = (bounds_of(range, self.len), self.len);
        if rows.start > rows.end || rows.end > len {
            return Err(Error::Range { first: rows.start, end: rows.end, len, at: Location::caller() });
        }
        let cells = self.cells.iter().map(|cells| cells.range(rows.clone())).collect();
        Ok(DeviceColumn::new(&self.device, rows.len(), cells))
    }

    /// Copies the values to the host.
    ///
    /// # Errors
    /// The host has not enough memory, or the device failed.
    pub fn to_vec(&self) -> Result<Vec<T>, Error> {
        if let [cells] = &self.cells[..]
            && let Some(values) = T::stm_filled(self.len, &mut |into| cells.copy_to(into))
        {
            return values;
        }
        let columns = self.cells.iter().map(fetched).collect::<Result<Vec<_>, _>>()?;
        let value = |row| value_of::<T>(columns.iter().map(|column| column.get(row)));
        Ok(memory::collected(WHAT, (0..self.len).map(value))?)
    }

    pub(super) fn into_cells(self) -> Vec<DeviceCells> {
        self.cells
    }
}

impl<T: GpuData> Clone for DeviceColumn<T> {
    fn clone(&self) -> DeviceColumn<T> {
        DeviceColumn::new(&self.device, self.len, self.cells.clone())
    }
}

impl<T: GpuData> fmt::Debug for DeviceColumn<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DeviceColumn<{}>({} values)", T::TYPE, self.len)
    }
}
