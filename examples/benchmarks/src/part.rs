//! The benchmarks of GPU-LocalTM: small parts, each for one work group of 256 work items, that have nothing to do with each
//! other.

use stm_runtime::prelude::*;

/// Work items of a group: so many transactions, one after the other, belong to one part.
pub(super) const GROUP: u64 = 256;

/// The part of a transaction, and its number within the group.
pub(super) fn part_of(transaction: u64, parts: u32) -> (u32, u32) {
    ((transaction / GROUP % u64::from(parts.max(1))) as u32, (transaction % GROUP) as u32)
}

/// An array in parts, and a handle of each: a transaction does not make its own.
#[derive(Debug)]
pub struct Parts<T: GpuData, const N: usize> {
    whole: Partitioned<T, N>,
    each: Vec<Partition<T, N>>,
}

impl<T: GpuData, const N: usize> Parts<T, N> {
    pub(super) fn new(device: &Device, elements: &[T]) -> Result<Parts<T, N>, Error> {
        let whole = device.partitioned(elements)?;
        let each = (0..whole.parts()).map(|number| whole.part(number)).collect::<Result<_, _>>()?;
        Ok(Parts { whole, each })
    }

    pub(super) fn part(&self, number: u32) -> &Partition<T, N> {
        &self.each[number as usize]
    }

    /// The elements of all parts, for a check.
    pub(super) fn contents(&self) -> Result<Vec<T>, String> {
        self.whole.to_vec().map_err(|why| why.to_string())
    }
}
