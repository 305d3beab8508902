//! Host memory that a run uses.

use crate::backend::Job;
use crate::outcome::Memory;
use crate::tx::View;

/// Adds up the host memory that the run uses.
pub(super) fn memory_used(job: &Job<'_>, views: &[View<'_>]) -> Memory {
    let transactions = job.transactions as u64;
    // What is constant uses no lock words, though it has them.
    let locked = views.iter().enumerate().filter(|(at, view)| view.name == *at);
    Memory {
        arguments: job.columns.iter().map(|column| column.bytes(job.transactions)).sum(),
        results: 8 * job.reported() as u64 * transactions,
        data: views.iter().map(|view| 8 * view.len() as u64).sum(),
        locks: locked.map(|(_, view)| 8 * view.table.lock_count() as u64).sum(),
        bookkeeping: transactions
            + job.specialization_ids.map_or(0, |_| 2 * transactions)
            + job.rows.map_or(0, |_| 4 * transactions),
    }
}
