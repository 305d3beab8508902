//! The benchmarks of GPU-LocalTM: small independent partitions, each for one work group of 256 work items.

use stm_runtime::prelude::*;

/// Work items of a group: the number of consecutive transactions that belong to one partition.
pub(super) const GROUP: u64 = 256;

/// Returns the partition of a transaction, and its number within the group.
pub(super) fn part_of(transaction: u64, parts: u32) -> (u32, u32) {
    ((transaction / GROUP % u64::from(parts.max(1))) as u32, (transaction % GROUP) as u32)
}

/// A partitioned array, with a handle of each partition.
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

    /// Returns the elements of all partitions, for a check.
    pub(super) fn contents(&self) -> Result<Vec<T>, String> {
        self.whole.to_vec().map_err(|why| why.to_string())
    }
}
