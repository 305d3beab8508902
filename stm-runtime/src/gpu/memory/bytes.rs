//! How many bytes the transactions of a chunk take on the device.

use kernels_gen::abi::counters::Counter;
use kernels_gen::abi::history;
use kernels_gen::abi::phases::Phase;
use kernels_gen::device::{Extent, Listings, Scope, Tuned};

use super::partitions;
use crate::backend::Job;
use crate::columns::Column;
use crate::device_cells::DeviceCells;
use crate::gpu::backend::{Cluster, Limits};

/// Bytes of the number of a row.
const ROW_BYTES: usize = 4;

/// Bytes of a chunk's transactions on the device.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct ChunkBytes {
    pub(crate) arguments: u64,
    pub(crate) results: u64,
    pub(crate) bookkeeping: u64,
    /// What is needed only once transactions are picked.
    picked: u64,
}

impl ChunkBytes {
    /// Returns the most bytes that a number of transactions takes, whichever they are. Each of several devices has a copy of the arguments.
    pub(crate) fn of(
        job: &Job<'_>,
        (engine, listings): (&Tuned, Listings),
        limits: Limits,
        transactions: u64,
    ) -> ChunkBytes {
        let log = if job.options.check { 8 * log_stride(job) as u64 } else { 0 };
        let groups = if engine.requires.partitions { partitions::TRANSACTION_BYTES } else { 0 };
        let ids = if job.specialization_ids.is_some() { 2 } else { 0 };
        let rows = if job.rows.is_some() { ROW_BYTES as u64 } else { 0 };
        let most = usize::try_from(transactions).unwrap_or(usize::MAX);
        let gathered = |rows: &DeviceCells| (8 + rows.width().bytes() as u64) * transactions.min(rows.rows() as u64);
        let gathered = job.columns.iter().filter_map(Column::on_device).map(gathered).sum::<u64>();
        let arguments = job.columns.iter().map(|column| column.bytes(most)).sum();
        let Cluster { devices, .. } = limits.cluster;
        let copies = if devices > 1 { devices as u64 } else { 0 };
        ChunkBytes {
            arguments,
            results: 8 * job.results as u64 * transactions,
            // Status and detail; the specialization and the row if there are several; the history if it is recorded; the index of
            // the first transaction of each partition; and the engine's memory.
            bookkeeping: (1 + 4 + ids + rows + log + groups) * transactions
                + copies * (arguments + (ids + rows) * transactions)
                + own_bytes(engine, listings, transactions).iter().sum::<u64>(),
            picked: (if job.counts_rows() { 8 * transactions } else { 0 }) + gathered,
        }
    }

    pub(crate) fn total(self) -> u64 {
        self.arguments + self.results + self.bookkeeping + self.picked
    }
}

/// Returns the bytes of the engine's memory for that number of transactions: those that are zeroed, and the others.
/// `listings`: what is listed of them.
pub(super) fn own_bytes(engine: &Tuned, listings: Listings, transactions: u64) -> [u64; 2] {
    let extent = Extent { transactions, listings, ..Extent::new(engine.settings) };
    [Scope::Chunk, Scope::Unset].map(|scope| engine.bytes(scope, extent))
}

/// Returns the words of a history; an element can be read and written.
pub(super) fn log_stride(job: &Job<'_>) -> usize {
    history::words(2 * job.footprint() as usize)
}

/// Returns the number of counters and the words after them.
pub(crate) fn counters(job: &Job<'_>) -> usize {
    Counter::COUNT + phase_count(job)
}

/// Returns the number of words after the counters.
pub(crate) fn phase_count(job: &Job<'_>) -> usize {
    if job.options.phases { Phase::COUNT } else { 0 }
}
