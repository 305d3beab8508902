//! One thread of the stage at rest: it runs the transactions that write nothing, while no element changes.
//!
//! They need no locks and nothing to compare. A transaction that does not commit at rest runs again with the others, as if it had not
//! run: what they write may help it.

use std::ops::Range;

use kernels_gen::spec::LocationKind;

use crate::backend::{Job, Specialization};
use crate::cpu::recorder::Recorder;
use crate::cpu::state::CpuRun;
use crate::cpu::statistics::WorkerStatistics;
use crate::cpu::supply::Supply;
use crate::tx::{AbortKind, Claim, CommitLog, Direct, Ended, Halted, Handles, InPlace, short_of_sets};

/// Returns, for each specialization, whether its transactions run at rest: they write nothing, and print nothing. The list is empty if
/// no specialization does. Where others write, short transactions do not pay for a stage of their own, so they need a loop.
pub(super) fn readers(job: &Job<'_>) -> Vec<bool> {
    let spec = |specialization: &Specialization| job.procedures[specialization.procedure].spec;
    let writes_nothing = |specialization: &Specialization| {
        mutant!("cpu: a writer runs at rest", spec(specialization).facts.read_only, true)
    };
    let all = job.specializations.iter().all(writes_nothing);
    let has_loop = |specialization: &Specialization| {
        spec(specialization).locations.iter().any(|location| location.what == LocationKind::Loop)
    };
    let is_reader = |specialization: &Specialization| {
        writes_nothing(specialization) && (all || has_loop(specialization)) && spec(specialization).lines.is_empty()
    };
    let readers: Vec<bool> = job.specializations.iter().map(is_reader).collect();
    if readers.contains(&true) { readers } else { Vec::new() }
}

/// A thread.
pub(crate) struct AtRest<'a> {
    run: &'a CpuRun<'a>,
    handles: Handles<'a, InPlace>,
    recorder: Option<Recorder<'a>>,
    log: CommitLog<'a>,
    statistics: WorkerStatistics,
}

impl<'a> AtRest<'a> {
    pub(crate) fn new(run: &'a CpuRun<'a>, thread: usize) -> AtRest<'a> {
        let (job, pool) = (run.job, run.pool);
        let is_recorded = job.options.check;
        let mut direct = Direct::new(run.views.to_vec());
        if is_recorded {
            direct.trace_accesses();
        }
        // Only a recorded run asks what a transaction has read.
        let watch = (!is_recorded).then(|| pool.room.is_used_flag());
        let counts = pool.counts_of(thread);
        AtRest {
            run,
            handles: Handles::new(direct, !is_recorded, pool.alarm, &job.printer),
            recorder: is_recorded.then(|| Recorder::new(run.views)),
            log: CommitLog { alarm: pool.alarm, outcomes: run.outcomes, counts, holds: false, watch },
            statistics: WorkerStatistics { passes: 1, ..WorkerStatistics::default() },
        }
    }

    /// Works as long as the supply lasts, or until the run has to end.
    pub(crate) fn run(mut self, supply: &Supply) -> WorkerStatistics {
        if let Err(Halted) = self.visit_supply(supply) {
            self.statistics.why = self.log.alarm.reason();
        }
        self.statistics.history = self.recorder.map(Recorder::into_history);
        self.statistics
    }

    fn visit_supply(&mut self, supply: &Supply) -> Result<(), Halted> {
        while let Some(transactions) = supply.claim() {
            self.visit_all(transactions)?;
        }
        Ok(())
    }

    fn visit_all(&mut self, mut transactions: Range<usize>) -> Result<(), Halted> {
        while !transactions.is_empty() {
            let alike = self.run.job.alike(transactions.clone());
            transactions.start = alike.end;
            if self.run.is_reader(self.run.job.specialization_of(alike.start)) {
                self.visit_alike(alike)?;
            }
        }
        Ok(())
    }

    fn visit_alike(&mut self, mut transactions: Range<usize>) -> Result<(), Halted> {
        let run = self.run;
        let specialization = &run.specializations[run.job.specialization_of(transactions.start)];
        while !transactions.is_empty() {
            let mut claim = Claim::of(transactions.clone(), &self.log);
            let ended = specialization.attempt(&mut self.handles, 0, &mut claim);
            transactions.start = claim.next;
            match ended {
                Ended::All | Ended::Ready => {}
                Ended::Halted => return Err(Halted),
                Ended::Committed => self.record(transactions.start - 1)?,
                Ended::Early(abort) => match abort.kind() {
                    AbortKind::Halted => return Err(Halted),
                    AbortKind::NoMemory { kib } => return Err(self.log.alarm.fail(short_of_sets(kib))),
                    _ => transactions.start += 1,
                },
            }
        }
        Ok(())
    }

    fn record(&mut self, transaction: usize) -> Result<(), Halted> {
        let Some(recorder) = &mut self.recorder else { return Ok(()) };
        recorder.record(transaction, self.handles.memory().trace(), true).map_err(|short| self.log.alarm.fail(short))
    }
}
