//! The conditions on a report that the benchmarks' checks share.

use stm_runtime::{GpuData, Outcome, Report, UnresolvedReason};

/// Checks that no transaction faulted.
pub(super) fn no_faults(report: &Report) -> Result<(), String> {
    match report.faults.first() {
        Some(fault) => Err(format!("{} transactions faulted, the first: {fault}", report.faulted)),
        None => Ok(()),
    }
}

/// Checks that no transaction was rejected, in a benchmark whose transactions never reject.
pub(super) fn no_rejections(report: &Report) -> Result<(), String> {
    expect(report.rejected == 0, || format!("{} transactions were rejected, and none may be", report.rejected))
}

/// Checks that every transaction has its final outcome, unless a limit ended the run: nothing in the benchmark waits for ever.
pub(super) fn nothing_waits(report: &Report) -> Result<(), String> {
    let stuck = report.unresolved_transactions.iter().find(|left| left.reason == UnresolvedReason::GuardNeverHeld);
    stuck.map_or(Ok(()), |left| Err(format!("something waits that should not: {left}")))
}

/// Checks all of that.
pub(super) fn nothing_fails(report: &Report) -> Result<(), String> {
    no_faults(report)?;
    no_rejections(report)?;
    nothing_waits(report)
}

/// Checks that the pool has all of these nodes.
pub(super) fn pool_has(pool: u32, nodes: impl Iterator<Item = u32>) -> Result<(), String> {
    let last = nodes.max().unwrap_or_default();
    expect(last < pool, || format!("the pool is too small: use `--pool {}`", u64::from(last) + 1))
}

/// Returns the result of a transaction that committed.
pub(super) fn result<R: GpuData>(report: &Report, transaction: usize) -> Option<R> {
    match report.outcome_at(transaction) {
        Ok(Outcome::Committed(result)) => Some(result),
        _ => None,
    }
}

/// Returns whether the transaction committed.
pub(super) fn committed(report: &Report, transaction: usize) -> bool {
    matches!(report.outcome_at::<()>(transaction), Ok(Outcome::Committed(())))
}

/// Returns whether the transaction was rejected.
pub(super) fn rejected(report: &Report, transaction: usize) -> bool {
    matches!(report.outcome_at::<()>(transaction), Ok(Outcome::Rejected(_)))
}

/// Returns whether the transaction was left because nothing could make its guard true.
pub(super) fn stuck(report: &Report, transaction: usize) -> bool {
    matches!(report.outcome_at::<()>(transaction), Ok(Outcome::Unresolved(UnresolvedReason::GuardNeverHeld)))
}

/// Returns an error, made only if needed, unless `holds`.
pub(super) fn expect(holds: bool, otherwise: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(otherwise()) }
}
