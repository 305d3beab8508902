//! A profile for users: names in place of numbers.

use std::cmp::Reverse;

use crate::backend::Job;
use crate::outcome::{
    COMMITTED, ConflictProfile, ElementConflicts, HolderConflicts, LISTED, LocationConflicts, ProcedureConflicts,
    ProfileCounts, Statuses,
};

/// Returns the conflicts by source line, the most first.
pub(super) fn locations(job: &Job<'_>, profile: &ProfileCounts) -> Vec<LocationConflicts> {
    let mut locations: Vec<LocationConflicts> = Vec::new();
    for (procedure, counts) in job.procedures.iter().zip(&profile.procedures) {
        for (location, conflicts) in
            procedure.spec.locations.iter().zip(&counts.locations).filter(|(_, conflicts)| **conflicts > 0)
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
    locations.sort_by_key(|location| Reverse(location.conflicts));
    locations
}

/// Returns the profile of functions and elements.
pub(super) fn described(job: &Job<'_>, profile: &ProfileCounts, status: &Statuses) -> ConflictProfile {
    let committed = committed(job, status);
    let mut procedures: Vec<ProcedureConflicts> = job
        .procedures
        .iter()
        .zip(&profile.procedures)
        .zip(committed)
        .map(|((procedure, counts), committed)| ProcedureConflicts {
            procedure: procedure.spec.name,
            committed,
            conflicts: counts.by_holder.iter().sum(),
            waits: counts.waits,
            holders: holders(job, &counts.by_holder),
        })
        .collect();
    procedures.sort_by_key(|procedure| Reverse(procedure.conflicts));
    let mut elements: Vec<ElementConflicts> = profile
        .elements
        .iter()
        .map(|(&(array, index), counts)| ElementConflicts {
            array,
            parameter: record_name(job.parameter_name(array)),
            index,
            elements: counts.elements,
            conflicts: counts.conflicts,
            uncertain: counts.uncertain,
        })
        .collect();
    elements.sort_by_key(|element| (Reverse(element.conflicts), element.array, element.index));
    elements.truncate(LISTED);
    ConflictProfile { procedures, elements }
}

/// Returns the conflicts by the function that was in the way, the most first.
fn holders(job: &Job<'_>, by_holder: &[u64]) -> Vec<HolderConflicts> {
    let name = |holder: usize| holder.checked_sub(1).map(|procedure| job.procedures[procedure].spec.name);
    let counted = by_holder.iter().enumerate().filter(|(_, conflicts)| **conflicts > 0);
    let mut holders: Vec<HolderConflicts> =
        counted.map(|(holder, &conflicts)| HolderConflicts { procedure: name(holder), conflicts }).collect();
    holders.sort_by_key(|holder| Reverse(holder.conflicts));
    holders
}

/// Returns how many transactions of each procedure have committed.
fn committed(job: &Job<'_>, status: &Statuses) -> Vec<u64> {
    let mut committed = vec![0; job.procedures.len()];
    for transaction in (0..job.transactions).filter(|at| status.at(*at) == Some(COMMITTED)) {
        committed[job.specializations[job.specialization_of(transaction)].procedure] += 1;
    }
    committed
}

/// Returns the parameter of a record whose field is named: a lock word is that of the record.
fn record_name(field: &'static str) -> &'static str {
    field.split('.').next().unwrap_or(field)
}
