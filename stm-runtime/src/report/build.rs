//! Turns what a back end brought back into a report.

use std::collections::BTreeMap;

use kernels_gen::fault::FaultCode;
use kernels_gen::spec::{Site, SiteKind};

use crate::element::show;
use crate::job::{COMMITTED, FAULTED, Job, NO_SITE, REJECTED, RunOutput, SITE_BITS};
use crate::kind::Compiled;
use crate::memory::{self, NoMemory};
use crate::proof::Proof;
use crate::report::{Fault, LISTED, Report, Rows, SiteConflicts, Unresolved, Why};

/// What is short where a report does not fit.
const WHAT: &str = "a report";

/// What a report is made of.
pub(crate) struct Input<'a> {
    pub(crate) table: u64,
    pub(crate) device: String,
    pub(crate) job: &'a Job<'a>,
    pub(crate) output: RunOutput,
    pub(crate) proof: Option<Proof>,
}

/// The report of a table without transactions.
pub(crate) fn empty(table: u64, device: String, engine: String, proof: Option<Proof>) -> Report {
    Report {
        device,
        engine,
        shape: String::new(),
        choice: None,
        transactions: 0,
        committed: 0,
        rejected: 0,
        codes: BTreeMap::new(),
        faulted: 0,
        faults: Vec::new(),
        unresolved: 0,
        unresolved_rows: Vec::new(),
        conflicts: Default::default(),
        conflict_sites: Vec::new(),
        postponements: 0,
        passes: 0,
        times: Default::default(),
        phases: None,
        memory: Default::default(),
        proof,
        notes: Vec::new(),
        rows: Rows { table, ..Rows::default() },
    }
}

/// The report of a run.
pub(crate) fn build(input: Input<'_>) -> Result<Report, NoMemory> {
    let Input { table, device, job, output, proof } = input;
    let mut report = empty(table, device, output.engine, proof);
    report.shape = output.shape;
    report.choice = output.choice;
    report.transactions = job.rows as u64;
    report.conflicts = output.conflicts;
    report.conflict_sites = sites(job, &output.sites);
    report.postponements = output.postponements;
    report.passes = output.passes;
    report.times = output.times;
    report.phases = output.phases;
    report.memory = output.memory;
    report.notes = output.notes;
    if job.options.phases && report.phases.is_none() {
        report.notes.push("phases are told on a GPU alone".into());
    }
    report.rows.why_left = output.why_left;
    report.rows.results = output.results;
    report.rows.kinds = job.bindings.iter().map(|binding| job.kinds[binding.kind]).collect();
    report.rows.bindings = memory::copied(WHAT, job.binding_ids.unwrap_or_default())?;
    report.codes = codes(&output.status, &output.detail)?;
    count(&mut report, job, &output.status, &output.detail);
    report.rows.status = output.status;
    report.rows.detail = output.detail;
    Ok(report)
}

/// How many rows rejected with each code.
fn codes(status: &[u8], detail: &[u32]) -> Result<BTreeMap<u32, u64>, NoMemory> {
    let rejected = || status.iter().zip(detail).filter(|(status, _)| **status == REJECTED);
    let mut all: Vec<u32> = memory::with_room(WHAT, rejected().count())?;
    all.extend(rejected().map(|(_, code)| *code));
    all.sort_unstable();
    let each = all.chunk_by(|a, b| a == b);
    // The map cannot say that memory is short, so that as much as it takes at the most is asked for before.
    memory::ask::<[u64; 5]>(WHAT, each.clone().count())?;
    Ok(each.map(|same| (same[0], same.len() as u64)).collect())
}

fn count(report: &mut Report, job: &Job<'_>, status: &[u8], detail: &[u32]) {
    for (row, status) in status.iter().enumerate() {
        if *status == COMMITTED {
            report.committed += 1;
            continue;
        }
        let detail = detail.get(row).copied().unwrap_or(0);
        match *status {
            REJECTED => {
                report.rejected += 1;
            }
            FAULTED => {
                report.faulted += 1;
                if report.faults.len() < LISTED {
                    report.faults.push(fault(job, row, detail));
                }
            }
            _ => {
                report.unresolved += 1;
                if report.unresolved_rows.len() < LISTED {
                    report.unresolved_rows.push(unresolved(job, row, report.rows.why_left));
                }
            }
        }
    }
}

fn unresolved(job: &Job<'_>, row: usize, why: Why) -> Unresolved {
    Unresolved { row, kind: kind_name(job, row), arguments: arguments(job, row), why }
}

fn kind(job: &Job<'_>, row: usize) -> Compiled {
    job.kinds[job.bindings[job.binding_of(row)].kind]
}

/// The function of a row.
pub(crate) fn kind_name(job: &Job<'_>, row: usize) -> &'static str {
    kind(job, row).spec.name
}

/// The values of a row leaf by leaf, with their names.
pub(crate) fn arguments(job: &Job<'_>, row: usize) -> Vec<(&'static str, String)> {
    let binding = &job.bindings[job.binding_of(row)];
    let values = job.kinds[binding.kind].values().zip(&binding.columns);
    values.map(|((name, scalar), column)| (name, show(scalar, job.columns[*column].get(row)))).collect()
}

/// The fault that a row's detail means.
pub(crate) fn fault(job: &Job<'_>, row: usize, detail: u32) -> Fault {
    describe(row, kind(job, row), detail, arguments(job, row))
}

/// The same without a job.
pub(super) fn describe(row: usize, kind: Compiled, detail: u32, arguments: Vec<(&'static str, String)>) -> Fault {
    let spec = kind.spec;
    // A site outside of the list is one of a hand-made kind; the function's own line is the best that is known.
    let nowhere = Site { file: spec.file, line: spec.line, column: 0, what: SiteKind::Arithmetic, text: "" };
    let site = spec.sites.get((detail & NO_SITE) as usize).copied().unwrap_or(nowhere);
    Fault {
        row,
        kind: spec.name,
        arguments,
        code: FaultCode::from_code((detail >> SITE_BITS) as u8).unwrap_or(FaultCode::Overflow),
        file: site.file,
        line: site.line,
        column: site.column,
        text: site.text,
    }
}

fn sites(job: &Job<'_>, counts: &[Vec<u64>]) -> Vec<SiteConflicts> {
    let mut sites: Vec<SiteConflicts> = Vec::new();
    for (kind, counts) in job.kinds.iter().zip(counts) {
        for (site, conflicts) in kind.spec.sites.iter().zip(counts).filter(|(_, conflicts)| **conflicts > 0) {
            sites.push(SiteConflicts {
                kind: kind.spec.name,
                file: site.file,
                line: site.line,
                column: site.column,
                text: site.text,
                conflicts: *conflicts,
            });
        }
    }
    sites.sort_by_key(|site| std::cmp::Reverse(site.conflicts));
    sites
}
