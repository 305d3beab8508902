//! `Partitioned<T, N>`: an array in partitions of `N` elements, and `Partition<T, N>`: one of them.

use std::borrow::Cow;
use std::fmt;
use std::ops::Deref;

use super::column::IntoColumn;
use super::shared::Shared;
use super::value::GpuData;
use crate::backend::Device;
use crate::error::Error;

/// An array in partitions of `N` elements. A transaction works on one partition: its parameter is a `&Partition<T, N>`.
///
/// Two transactions on different partitions never conflict. So an engine for block memory can keep a partition there while a block
/// works on it; for all other engines the partitions form one array, one after the other.
///
/// ```
/// use stm_runtime::prelude::*;
///
/// /// Counts a value in a histogram of 64 classes.
/// #[gpu_transaction]
/// fn count(tx: &mut Tx, classes: &Partition<u32, 64>, value: u32) -> TxResult {
///     tx.update(classes, value % 64, |n| n + 1)
/// }
///
/// # fn main() -> Result<(), Error> {
/// let device = Device::cpu(1);
/// let histograms = device.partitioned::<u32, 64>(&[0; 3 * 64])?; // three of them
/// let mut batch = device.batch();
/// batch.push(count::call(&histograms.part(2)?, 65));
/// batch.run()?;
/// assert_eq!(histograms.part(2)?.to_vec()?[..2], [0, 1]);
/// # Ok(())
/// # }
/// ```
pub struct Partitioned<T: GpuData, const N: usize> {
    whole: Shared<T>,
}

impl<T: GpuData, const N: usize> Partitioned<T, N> {
    pub(crate) fn new(whole: Shared<T>) -> Partitioned<T, N> {
        Partitioned { whole }
    }

    /// Returns the number of partitions.
    #[must_use]
    pub fn parts(&self) -> u32 {
        (self.whole.extent() / N.max(1)) as u32
    }

    /// Returns one partition. It is the same memory: the changes of transactions are visible through all handles.
    ///
    /// # Errors
    /// There is no partition of that number.
    #[inline]
    pub fn part(&self, number: u32) -> Result<Partition<T, N>, Error> {
        if number >= self.parts() {
            return Err(Error::NoPart { number, parts: self.parts() });
        }
        Ok(Partition { view: self.whole.of_part(number), number })
    }

    /// Returns one partition for each of several transactions, by number: for a `&Partition` parameter of `columns`.
    ///
    /// ```
    /// use stm_runtime::prelude::*;
    ///
    /// #[gpu_transaction]
    /// fn count(tx: &mut Tx, classes: &Partition<u32, 64>, value: u32) -> TxResult {
    ///     tx.update(classes, value % 64, |n| n + 1)
    /// }
    ///
    /// # fn main() -> Result<(), Error> {
    /// let device = Device::cpu(1);
    /// let histograms = device.partitioned::<u32, 64>(&[0; 3 * 64])?;
    /// let mut batch = device.batch();
    /// batch.push_columns(count::columns(histograms.part_column(&[2, 0, 2])?, &[65, 1, 1]))?;
    /// batch.run()?;
    /// assert_eq!([histograms.part(0)?.to_vec()?[1], histograms.part(2)?.to_vec()?[1]], [1, 2]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// There is no partition of one of the numbers, or the host has not enough memory for a list of them.
    pub fn part_column<'a>(&self, numbers: impl IntoColumn<'a, u32>) -> Result<PartitionColumn<'_, 'a, T, N>, Error> {
        let numbers = numbers.stm_listed().values()?;
        match numbers.iter().max() {
            Some(number) if *number >= self.parts() => Err(Error::NoPart { number: *number, parts: self.parts() }),
            _ => Ok(PartitionColumn { whole: &self.whole, numbers }),
        }
    }

    /// Returns the device of the array.
    #[must_use]
    pub fn device(&self) -> &Device {
        self.whole.device()
    }

    /// Returns the elements of all partitions as one array, to read and write ranges of it, save and load it. For a transaction it is no
    /// `&Shared`.
    #[must_use]
    pub fn all(&self) -> &Shared<T> {
        &self.whole
    }

    /// Copies the elements of all partitions to the host, one partition after the other. Waits for the end of a run that uses them.
    ///
    /// # Errors
    /// As [`Shared::to_vec`].
    pub fn to_vec(&self) -> Result<Vec<T>, Error> {
        self.whole.to_vec()
    }
}

impl<T: GpuData, const N: usize> Clone for Partitioned<T, N> {
    fn clone(&self) -> Partitioned<T, N> {
        Partitioned::new(self.whole.clone())
    }
}

impl<T: GpuData, const N: usize> fmt::Debug for Partitioned<T, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Partitioned<{}, {N}>({} parts)", T::TYPE, self.parts())
    }
}

/// One partition of a [`Partitioned`]: `N` elements, with indices from 0. It has the methods of a [`Shared`], and its fields if the
/// elements are records: `rooms.free`.
pub struct Partition<T: GpuData, const N: usize> {
    view: Shared<T>,
    number: u32,
}

impl<T: GpuData, const N: usize> Partition<T, N> {
    /// Returns the view of a transaction's function: the transaction determines the partition.
    pub(crate) fn of_transaction(view: Shared<T>) -> Partition<T, N> {
        Partition { view, number: 0 }
    }

    /// Returns the number of the partition.
    #[doc(hidden)]
    #[must_use]
    #[inline]
    pub fn number(&self) -> u32 {
        self.number
    }
}

impl<T: GpuData, const N: usize> Deref for Partition<T, N> {
    type Target = Shared<T>;

    #[inline]
    fn deref(&self) -> &Shared<T> {
        &self.view
    }
}

impl<T: GpuData, const N: usize> Clone for Partition<T, N> {
    fn clone(&self) -> Partition<T, N> {
        Partition { view: self.view.clone(), number: self.number }
    }
}

impl<T: GpuData, const N: usize> fmt::Debug for Partition<T, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Partition<{}, {N}>(part {})", T::TYPE, self.number)
    }
}

/// One partition of a [`Partitioned`] for each of several transactions: [`Partitioned::part_column`] makes it.
pub struct PartitionColumn<'stm, 'a, T: GpuData, const N: usize> {
    whole: &'stm Shared<T>,
    numbers: Cow<'a, [u32]>,
}

impl<'stm, 'a, T: GpuData, const N: usize> PartitionColumn<'stm, 'a, T, N> {
    /// Returns the array of all partitions.
    #[doc(hidden)]
    #[must_use]
    pub fn whole(&self) -> &'stm Shared<T> {
        self.whole
    }

    /// Returns the numbers of the partitions.
    #[doc(hidden)]
    #[must_use]
    pub fn numbers(self) -> Cow<'a, [u32]> {
        self.numbers
    }
}

impl<T: GpuData, const N: usize> fmt::Debug for PartitionColumn<'_, '_, T, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PartitionColumn<{}, {N}>({} numbers)", T::TYPE, self.numbers.len())
    }
}

/// The type of a `&Partition` parameter in `columns`, for generated code.
#[doc(hidden)]
pub trait Columned {
    /// What stands for many of them.
    type Column<'stm, 'a>;
}

impl<T: GpuData, const N: usize> Columned for Partition<T, N> {
    type Column<'stm, 'a> = PartitionColumn<'stm, 'a, T, N>;
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn parts_show_their_own_elements() {
        let device = Device::cpu(1);
        let pairs = device.partitioned::<(u8, i64), 2>(&[(1, -1), (2, -2), (3, -3), (4, -4)]).unwrap();
        assert_eq!((pairs.parts(), pairs.to_vec().unwrap().len()), (2, 4));
        let second = pairs.part(1).unwrap().clone();
        assert_eq!((second.len(), second.to_vec().unwrap()), (2, vec![(3, -3), (4, -4)]));
        assert_eq!((second.1.len(), second.1.to_vec().unwrap()), (2, vec![-3, -4]));
        assert_eq!(pairs.part(2).unwrap_err(), Error::NoPart { number: 2, parts: 2 });
        assert_eq!(
            format!("{pairs:?}, {second:?}"),
            "Partitioned<(u8, i64), 2>(2 parts), Partition<(u8, i64), 2>(part 1)"
        );
    }

    const SIZE: usize = 4;

    #[crate::prelude::gpu_transaction(instantiate(u32, i64))]
    fn raise<T>(tx: &mut crate::Tx, cells: &crate::Partition<T, { SIZE / 2 }>, at: u32, by: T) -> crate::TxResult {
        tx.update(cells, at, |old| old + by)
    }

    #[crate::prelude::gpu_transaction]
    const shift: _ =
        |tx: &mut crate::Tx, from: &Partition<i64, 2>, to: &Partition<u32, SIZE>, at: u32| -> crate::TxResult {
            let seen = tx.read(from, at)?;
            tx.write(to, at + 2, seen as u32)
        };

    #[test]
    fn every_form_of_a_transaction_takes_parts() {
        let device = Device::cpu(1);
        let pairs = device.partitioned::<i64, 2>(&[10, 20, 30, 40]).unwrap();
        let fours = device.partitioned::<u32, SIZE>(&[0; 12]).unwrap();
        let by = 5_i64;
        let add = crate::gpu_transaction!(captures(by: i64), |tx: &mut crate::Tx, pairs: &Partition<i64, 2>| {
            tx.update(pairs, 0, |old| old + by)
        });
        let mut batch = device.batch();
        batch.push(raise::<i64>::call(&pairs.part(1).unwrap(), 1, 2));
        batch.push(add.call(&pairs.part(1).unwrap()));
        batch.push(shift::call(&pairs.part(1).unwrap(), &fours.part(1).unwrap(), 0));
        batch.push(shift::call(&pairs.part(0).unwrap(), &fours.part(0).unwrap(), 1));
        let report = batch.run_with(&crate::RunOptions::new().check(true)).unwrap();
        assert_eq!((report.committed, report.serializable()), (4, Some(true)), "{report}");
        assert_eq!(pairs.to_vec().unwrap(), [10, 20, 35, 42]);
        assert_eq!(fours.to_vec().unwrap(), [0, 0, 0, 20, 0, 0, 35, 0, 0, 0, 0, 0]);
    }

    #[test]
    fn elements_fill_whole_parts() {
        let device = Device::cpu(1);
        assert_eq!(device.partitioned::<u8, 4>(&[0; 6]).unwrap_err(), Error::Parts { elements: 6, part: 4 });
        assert_eq!(device.partitioned::<u8, 4>(&[]).unwrap().parts(), 0);
    }
}
