//! Builds a report from the output of a back end.

use std::collections::BTreeMap;

use kernels_gen::device::unit::ColumnWidth;

use super::hottest::uncounted;
use super::listed::{Listed, WHAT, codes, described};
use super::plan::Plan;
use super::profile;
use super::summary::{OutcomeColumns, Report};
use crate::backend::{Device, Job};
use crate::device_cells::{DeviceCells, Place};
use crate::memory::{self, NoMemory};
use crate::outcome::{Algorithm, COMMITTED, LaunchShape, RunOutput, Statuses, Unresolved, UnresolvedReason};
use crate::proof::Proof;
use crate::tuning::SavedPlan;

/// The parts of a report.
pub(crate) struct Input<'a> {
    pub(crate) batch: u64,
    pub(crate) device: String,
    pub(crate) handle: &'a Device,
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
        plan: None,
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
        profile: None,
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
    span!("report");
    let Input { batch, device, handle, job, output, proof } = input;
    let mut report = empty(batch, device, output.engine, proof);
    report.shape = output.shape;
    report.tuning = output.tuning;
    report.plan = job.options.selection.methods().map(|methods| {
        let batch = job.planned_batch(report.device.clone());
        Plan::new(SavedPlan { methods, batch, found: output.found }, output.plan)
    });
    report.transactions = job.transactions as u64;
    report.conflicts = output.conflicts;
    if let Some(profile) = &output.profile {
        report.conflict_locations = profile::locations(job, profile);
        report.profile = Some(profile::described(job, profile, &output.status));
    }
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
    match output.counted {
        Some([committed, rejected]) => (report.committed, report.rejected) = (committed, rejected),
        None => count(&mut report, job, &output.status, &output.detail)?,
    }
    if job.options.counts_only {
        report.outcomes.are_counted = true;
        return Ok(report);
    }
    if job.options.results_stay {
        report.outcomes.there =
            Some((handle.clone(), output.stayed.unwrap_or_else(|| stayed(&output.status, output.results))));
    } else {
        report.outcomes.results = output.results;
    }
    // By their numbers in the batch, which its transactions have.
    report.outcomes.procedures =
        job.specializations_in_batch().map(|specialization| job.procedures[specialization.procedure]).collect();
    report.outcomes.specializations = memory::copied(WHAT, job.specialization_ids.map_or(&[][..], |ids| ids.in_batch))?;
    report.outcomes.status = output.status;
    report.outcomes.detail = output.detail;
    Ok(report)
}

fn count(report: &mut Report, job: &Job<'_>, status: &Statuses, detail: &[u32]) -> Result<(), NoMemory> {
    let (tallies, mut listed) = (status.tallies(), Listed::default());
    for block in &tallies {
        report.committed += block.committed;
        report.rejected += block.rejected;
        report.faulted += block.faulted;
        report.unresolved += block.unresolved();
        listed.add(status, block);
    }
    let reason = report.outcomes.unresolved_reason;
    let detail_of = |transaction: usize| detail.get(transaction).copied().unwrap_or(0);
    if !job.options.counts_only {
        report.codes = codes(status, &tallies, detail)?;
    }
    report.faults = described(&listed.faults, |transaction| job.fault(transaction, detail_of(transaction)));
    report.unresolved_transactions = described(&listed.unresolved, |transaction| unresolved(job, transaction, reason));
    Ok(())
}

/// Returns results that stay on a device that is the host: 0 for a transaction that has not committed.
fn stayed(status: &Statuses, mut words: Vec<u64>) -> DeviceCells {
    let transactions = status.transactions();
    for (at, _) in status.unlike(0..transactions, |status| status == COMMITTED) {
        words.iter_mut().skip(at).step_by(transactions).for_each(|word| *word = 0);
    }
    DeviceCells::new(ColumnWidth::U64, words.len(), Place::Host(words))
}

fn unresolved(job: &Job<'_>, transaction: usize, reason: UnresolvedReason) -> Unresolved {
    Unresolved {
        transaction,
        procedure: job.procedure_name(transaction),
        arguments: job.arguments(transaction),
        reason,
    }
}
