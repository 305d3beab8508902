//! The transactions that a count of accesses leaves out.

use crate::backend::Job;

/// Counts the transactions whose addresses are not known from their arguments.
pub(super) fn uncounted(job: &Job<'_>) -> u64 {
    let is_counted: Vec<bool> = job
        .specializations
        .iter()
        .map(|specialization| job.procedures[specialization.procedure].spec.facts.orderable)
        .collect();
    match job.specialization_ids {
        None if is_counted.first() == Some(&true) => 0,
        None => job.transactions as u64,
        Some(ids) => ids.in_batch.iter().filter(|id| !is_counted[ids.number(**id)]).count() as u64,
    }
}
