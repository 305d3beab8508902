//! Builds a report from the output of a back end.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use super::hottest::uncounted;
use super::summary::{OutcomeColumns, Report};
use crate::backend::Job;
use crate::memory::{self, NoMemory};
use crate::outcome::{
    Algorithm, COMMITTED, FAULTED, LISTED, LaunchShape, LocationConflicts, REJECTED, RunOutput, Unresolved,
    UnresolvedReason,
};
use crate::proof::Proof;
use crate::threads::{processors, share};

/// The purpose of the memory, for the error when a report does not fit.
const WHAT: &str = "a report";

/// The parts of a report.
pub(crate) struct Input<'a> {
    pub(crate) batch: u64,
    pub(crate) device: String,
    pub(crate) job: &'a Job<'a>,
    pub(crate) output: RunOutput,
    pub(crate) proof: Option<Proof>,
}

/// Returns the report of a batch without transactions.
pub(crate) fn empty(batch: u64, device: String, engine: Algorithm, proof: Option<Proof>) -> Report {
    Report {
        device,
        engine,
        shape: LaunchShape::Nothing,
        tuning: None,
        plan: Vec::new(),
        transactions: 0,
        committed: 0,
        rejected: 0,
        codes: BTreeMap::new(),
        faulted: 0,
        faults: Vec::new(),
        unresolved: 0,
        unresolved_transactions: Vec::new(),
        conflicts: Default::default(),
        conflict_locations: Vec::new(),
        postponements: 0,
        passes: 0,
        hottest: Vec::new(),
        uncounted: 0,
        times: Default::default(),
        units: Vec::new(),
        phases: None,
        memory: Default::default(),
        proof,
        notes: Vec::new(),
        outcomes: OutcomeColumns { batch, ..OutcomeColumns::default() },
    }
}

/// Returns the report of a run.
pub(crate) fn build(input: Input<'_>) -> Result<Report, NoMemory> {
    let Input { batch, device, job, output, proof } = input;
    let mut report = empty(batch, device, output.engine, proof);
    report.shape = output.shape;
    report.tuning = output.tuning;
    report.plan = output.plan;
    report.transactions = job.transactions as u64;
    report.conflicts = output.conflicts;
    report.conflict_locations = locations(job, &output.locations);
    report.postponements = output.postponements;
    report.passes = output.passes;
    report.times = output.times;
    report.units = output.units;
    report.phases = output.phases;
    report.memory = output.memory;
    report.notes = output.notes;
    match output.hottest {
        Some(hottest) => (report.hottest, report.uncounted) = (hottest, uncounted(job)),
        None if job.options.selection.usual().spec().counts_accesses() => {
            report.notes.push("hot elements are counted on a GPU alone".into());
        }
        None => {}
    }
    if job.options.phases && report.phases.is_none() {
        report.notes.push("phases are measured on a GPU alone".into());
    }
    report.outcomes.unresolved_reason = output.unresolved_reason;
    report.outcomes.results = output.results;
    // By their numbers in the batch, which its transactions have.
    report.outcomes.procedures =
        job.specializations_in_batch().map(|specialization| job.procedures[specialization.procedure]).collect();
    report.outcomes.specializations = memory::copied(WHAT, job.specialization_ids.map_or(&[][..], |ids| ids.in_batch))?;
    report.codes = codes(&output.status, &output.detail)?;
    count(&mut report, job, &output.status, &output.detail);
    report.outcomes.status = output.status;
    report.outcomes.detail = output.detail;
    Ok(report)
}

/// Counts the rejected transactions by code.
fn codes(status: &[u8], detail: &[u32]) -> Result<BTreeMap<u32, u64>, NoMemory> {
    let rejected = || status.iter().zip(detail).filter(|(status, _)| **status == REJECTED);
    let mut all: Vec<u32> = memory::with_room(WHAT, rejected().count())?;
    all.extend(rejected().map(|(_, code)| *code));
    all.sort_unstable();
    let each = || all.chunk_by(|a, b| a == b);
    // A map cannot report lack of memory, so ask for its maximum size beforehand.
    memory::ask::<[u64; 5]>(WHAT, each().count())?;
    Ok(each().map(|same| (same[0], same.len() as u64)).collect())
}

/// Statuses that are counted together.
const TOGETHER: usize = if cfg!(test) { 1 << 3 } else { 1 << 16 };
/// Blocks of statuses from which several threads are worth it.
const MANY: usize = if cfg!(test) { 1 << 2 } else { 1 << 6 };

fn count(report: &mut Report, job: &Job<'_>, status: &[u8], detail: &[u32]) {
    for Counted { nth, statuses, committed, rejected, faulted } in counted(status) {
        let unresolved = statuses.len() as u64 - committed - rejected - faulted;
        report.committed += committed;
        report.rejected += rejected;
        report.faulted += faulted;
        report.unresolved += unresolved;
        let lists_fault = faulted > 0 && report.faults.len() < LISTED;
        if lists_fault || (unresolved > 0 && report.unresolved_transactions.len() < LISTED) {
            list_each(report, job, (nth * TOGETHER, statuses), detail);
        }
    }
}

/// A block of statuses, and how many there are of each sort.
struct Counted<'a> {
    nth: usize,
    statuses: &'a [u8],
    committed: u64,
    rejected: u64,
    faulted: u64,
}

/// Returns the blocks of statuses in order, counted.
fn counted(status: &[u8]) -> Vec<Counted<'_>> {
    let blocks = status.chunks(TOGETHER).enumerate();
    let threads = if blocks.len() < MANY { 1 } else { processors() };
    let all = Mutex::new(Vec::new());
    share(threads, blocks, |(nth, statuses)| {
        let count = |of: u8| statuses.iter().filter(|status| **status == of).count() as u64;
        let (committed, rejected, faulted) = (count(COMMITTED), count(REJECTED), count(FAULTED));
        let counted = Counted { nth, statuses, committed, rejected, faulted };
        all.lock().unwrap_or_else(PoisonError::into_inner).push(counted);
    });
    let mut all = all.into_inner().unwrap_or_else(PoisonError::into_inner);
    all.sort_unstable_by_key(|block| block.nth);
    all
}

/// Lists the first faults and unresolved transactions; the statuses are those from transaction `first` on.
fn list_each(report: &mut Report, job: &Job<'_>, (first, statuses): (usize, &[u8]), detail: &[u32]) {
    for (transaction, status) in (first..).zip(statuses) {
        match *status {
            COMMITTED | REJECTED => {}
            FAULTED if report.faults.len() < LISTED => {
                report.faults.push(job.fault(transaction, detail.get(transaction).copied().unwrap_or(0)));
            }
            FAULTED => {}
            _ if report.unresolved_transactions.len() < LISTED => {
                let reason = report.outcomes.unresolved_reason;
                report.unresolved_transactions.push(unresolved(job, transaction, reason));
            }
            _ => {}
        }
    }
}

fn unresolved(job: &Job<'_>, transaction: usize, reason: UnresolvedReason) -> Unresolved {
    Unresolved {
        transaction,
        procedure: job.procedure_name(transaction),
        arguments: job.arguments(transaction),
        reason,
    }
}

fn locations(job: &Job<'_>, counts: &[Vec<u64>]) -> Vec<LocationConflicts> {
    let mut locations: Vec<LocationConflicts> = Vec::new();
    for (procedure, counts) in job.procedures.iter().zip(counts) {
        for (location, conflicts) in
            procedure.spec.locations.iter().zip(counts).filter(|(_, conflicts)| **conflicts > 0)
        {
            locations.push(LocationConflicts {
                procedure: procedure.spec.name,
                file: location.file,
                line: location.line,
                column: location.column,
                text: location.text,
                conflicts: *conflicts,
            });
        }
    }
    locations.sort_by_key(|location| std::cmp::Reverse(location.conflicts));
    locations
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_counted_in_order() {
        let mut status = vec![COMMITTED; 10 * TOGETHER + 3];
        (status[TOGETHER], status[TOGETHER + 1], status[10 * TOGETHER + 2]) = (FAULTED, 0, REJECTED);
        let all = counted(&status);
        assert!(all.iter().enumerate().all(|(at, block)| block.nth == at) && all.len() == 11);
        let sums = |of: fn(&Counted<'_>) -> u64| all.iter().map(of).sum::<u64>();
        assert_eq!(sums(|block| block.committed), status.len() as u64 - 3);
        assert_eq!((sums(|block| block.rejected), sums(|block| block.faulted)), (1, 1));
        assert_eq!((all[1].committed, all[1].faulted), (TOGETHER as u64 - 2, 1));
        assert_eq!(all[10].statuses, [COMMITTED, COMMITTED, REJECTED]);
        assert!(counted(&[]).is_empty());
    }
}
