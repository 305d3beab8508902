//! Host memory that a run uses.

use crate::backend::Job;
use crate::outcome::Memory;
use crate::tx::CpuArray;

/// Adds up the host memory that the run uses.
pub(super) fn memory_used(job: &Job<'_>, arrays: &[&CpuArray]) -> Memory {
    let transactions = job.transactions as u64;
    let bytes = arrays.iter().map(|array| array.bytes());
    Memory {
        arguments: job.columns.iter().map(|column| column.bytes(job.transactions)).sum(),
        results: 8 * job.results as u64 * transactions,
        data: bytes.clone().map(|(data, _)| data).sum(),
        locks: bytes.map(|(_, locks)| locks).sum(),
        bookkeeping: transactions
            + job.specialization_ids.map_or(0, |_| 2 * transactions)
            + job.rows.map_or(0, |_| 4 * transactions),
    }
}
