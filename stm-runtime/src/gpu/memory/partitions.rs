//! Transactions in the order of their partitions, for engines that keep a partition in block memory.

use std::sync::Arc;

use kernels_gen::device::unit::ArraySpec;
use kernels_gen::device::{Tuned, partition_bytes};

use super::transactions::Transactions;
use crate::backend::{Job, Specialization};
use crate::columns::Column;
use crate::error::GpuError;
use crate::gpu::backend::{DeviceBuffer, Driver, HostSlice, Limits};
use crate::memory::{self, NoMemory};

/// The purpose of the memory, for the error when the order does not fit.
const WHAT: &str = "the order of transactions";

/// The default limit on shared memory of a block: every device provides it without opt-in.
const USUAL_BYTES: u64 = 48 * 1024;

/// Returns the bytes of shared memory of a block for these arrays, within the limit.
pub(crate) fn block_bytes(
    engine: &Tuned,
    arrays: &[ArraySpec],
    allowed: Option<usize>,
    limits: Limits,
) -> Result<u32, GpuError> {
    let needed = partition_bytes(engine, arrays);
    let most = u64::from(limits.shared);
    let allowed = allowed.map_or(USUAL_BYTES, |bytes| bytes as u64).min(most);
    if needed > allowed {
        return Err(GpuError::PartsTooLarge { engine: engine.name, needed, allowed, most });
    }
    Ok(needed as u32)
}

/// The groups of a chunk's transactions on the device.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Groups {
    pub(crate) count: u64,
    pub(crate) starts: u64,
    pub(crate) parts: u64,
}

/// The transactions of a batch by partition.
pub(crate) struct Order {
    /// All transactions; those of a partition in the batch's order.
    pub(crate) transactions: Vec<usize>,
    /// The partition of each transaction.
    parts: Vec<u32>,
    /// The number of partitions with transactions.
    pub(crate) used: u64,
}

/// The order of a batch's transactions, and device memory for the index of each partition's first transaction.
pub(crate) struct Partitions {
    pub(crate) order: Order,
    starts: DeviceBuffer,
    numbers: DeviceBuffer,
}

/// Bytes of each transaction for the groups of a chunk: in the worst case each transaction has its own partition.
pub(crate) const TRANSACTION_BYTES: u64 = 8;

impl Order {
    /// Sorts by counting: there are no more partitions than elements.
    pub(crate) fn of(job: &Job<'_>) -> Result<Order, NoMemory> {
        let columns: Vec<_> =
            job.specializations.iter().map(|specialization| part_column(job, specialization)).collect();
        let part = |transaction| {
            columns[job.specialization_of(transaction)].map_or(0, |column| column.get(job.row_of(transaction)) as u32)
        };
        let parts: Vec<u32> = memory::collected(WHAT, (0..job.transactions).map(part))?;
        let mut next = memory::zeroed::<usize>(WHAT, parts.iter().max().map_or(0, |most| *most as usize + 1))?;
        parts.iter().for_each(|part| next[*part as usize] += 1);
        let used = next.iter().filter(|transactions| **transactions > 0).count() as u64;
        let mut begin = 0;
        next.iter_mut().for_each(|transactions| begin += std::mem::replace(transactions, begin));
        let mut transactions = memory::zeroed(WHAT, parts.len())?;
        for (transaction, part) in parts.iter().enumerate() {
            transactions[next[*part as usize]] = transaction;
            next[*part as usize] += 1;
        }
        Ok(Order { transactions, parts, used })
    }

    /// Returns the transactions that satisfy `is_meant`, in the order of their partitions.
    pub(crate) fn select(&self, is_meant: impl Fn(usize) -> bool) -> Result<Vec<usize>, NoMemory> {
        let meant = || self.transactions.iter().copied().filter(|transaction| is_meant(*transaction));
        let mut transactions = memory::with_room(WHAT, meant().count())?;
        transactions.extend(meant());
        Ok(transactions)
    }

    /// Returns the start of each partition's transactions and the end of the last ones, and the partitions. The transactions are
    /// ordered.
    fn groups(&self, transactions: &Transactions<'_>) -> Result<(Vec<u32>, Vec<u32>), NoMemory> {
        let (mut starts, mut numbers) = (Vec::new(), Vec::new());
        for index in 0..transactions.len() {
            let part = self.parts[transactions.at(index)];
            if numbers.last() != Some(&part) {
                memory::push(WHAT, &mut starts, index as u32)?;
                let number = mutant!("partitions: numbers are given as they come", part, numbers.len() as u32);
                memory::push(WHAT, &mut numbers, number)?;
            }
        }
        let end = mutant!(
            "partitions: the last transaction is left out",
            transactions.len(),
            transactions.len().saturating_sub(1)
        );
        memory::push(WHAT, &mut starts, end as u32)?;
        Ok((starts, numbers))
    }
}

/// Returns the column with the partition of each transaction; `None` for procedures without a partition.
fn part_column<'a>(job: &Job<'a>, specialization: &Specialization) -> Option<&'a Column<'a>> {
    let has_parts =
        job.procedures[specialization.procedure].spec.params.iter().any(|param| param.role.part().is_some());
    job.columns[specialization.columns.clone()].last().filter(|_| has_parts)
}

impl Partitions {
    /// Returns the order with device memory for the groups of a chunk of `capacity` transactions.
    pub(crate) fn new(backend: &Arc<dyn Driver>, order: Order, capacity: usize) -> Result<Partitions, GpuError> {
        let starts = DeviceBuffer::new(backend, "transactions", 4 * (capacity + 1))?;
        let numbers = DeviceBuffer::new(backend, "transactions", 4 * capacity)?;
        Ok(Partitions { order, starts, numbers })
    }

    /// Uploads the start of each partition's transactions.
    pub(crate) fn upload(&self, transactions: &Transactions<'_>) -> Result<Groups, GpuError> {
        let (starts, numbers) = self.order.groups(transactions)?;
        self.starts.upload(0, HostSlice::U32(&starts))?;
        self.numbers.upload(0, HostSlice::U32(&numbers))?;
        Ok(Groups { count: numbers.len() as u64, starts: self.starts.address(), parts: self.numbers.address() })
    }
}

#[cfg(any(test, feature = "mutation"))]
pub(crate) mod tests {
    use super::*;

    hunted! {
        groups_follow_the_parts_of_the_transactions_that_a_chunk_has
    }

    #[cfg_attr(test, test)]
    fn groups_follow_the_parts_of_the_transactions_that_a_chunk_has() {
        let order = Order { transactions: vec![1, 3, 0, 4, 2], parts: vec![5, 2, 9, 2, 5], used: 3 };
        assert_eq!(
            order.groups(&Transactions::Picked(&order.transactions)).unwrap(),
            (vec![0, 2, 4, 5], vec![2, 5, 9])
        );
        assert_eq!(
            order.groups(&Transactions::Picked(&order.transactions[1..3])).unwrap(),
            (vec![0, 1, 2], vec![2, 5])
        );
        assert_eq!(order.groups(&Transactions::Picked(&[])).unwrap(), (vec![0], vec![]));
    }
}
