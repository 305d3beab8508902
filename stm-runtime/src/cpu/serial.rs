//! A run of one transaction at a time, on the arrays in place.

use std::collections::HashMap;
use std::ops::Range;
use std::time::Instant;

use kernels_gen::abi::detail;

use crate::backend::{Job, Resolved};
use crate::cpu::backlog::{Backlog, MOST_WATCHED};
use crate::cpu::prefetch::{GROUP, LookAhead};
use crate::cpu::room::Room;
use crate::cpu::store::views_of;
use crate::cpu::team::Team;
use crate::cpu::usage::memory_used;
use crate::cpu::waiter::Waiter;
use crate::error::Error;
use crate::memory::{self, NoMemory};
use crate::outcome::{
    Algorithm, AtomicOutcomes, Entry, FAULTED, History, LaunchShape, REJECTED, RunOutput, Times, UnresolvedReason,
};
use crate::tx::{
    Abort, AbortKind, Alarm, Claim, CommitLog, Counts, Direct, Ended, Halted, Handles, InPlace, TracedAccess, View,
    short_of_sets,
};

/// The purpose of the memory of a run's lists, for errors.
const WHAT: &str = "outcomes";
/// The position of the array in the number of an element.
const ARRAY_SHIFT: u32 = 48;

/// Runs a batch: transaction after transaction, then the transactions whose guard was false, and after each commit one of the
/// transactions that waited for it.
pub(super) fn run(job: &Job<'_>) -> Result<RunOutput, Error> {
    let views = views_of(job);
    let outcomes = AtomicOutcomes::new(job.transactions, job.results)?;
    let (start, counts) = (Instant::now(), Counts::default());
    let alarm = Alarm::new(job.options.time_limit, job.options.stop.as_ref(), start);
    let room = Room::new(job.transactions);
    // Every commit of a recorded run is of interest, and otherwise those that others may wait for.
    let watch = (!job.options.check).then(|| room.is_used_flag());
    let log = CommitLog { alarm: &alarm, outcomes: &outcomes, counts: &counts, holds: false, watch };
    let work = || Serial::new(job, &views, log, &room).run();
    let team = Team { job, alarm: &alarm, start, finished: &|| counts.finished() };
    let ended = team.work(1, |_| work, |_| ())?;
    let (mut output, details) = ended.into_iter().next().unwrap_or_default();
    if let Some(error) = alarm.failure() {
        return Err(error);
    }
    output.times = Times { kernel: start.elapsed(), ..Times::default() };
    output.memory = memory_used(job, &views);
    outcomes.into_output(&details, &mut output)?;
    Ok(output)
}

fn new_output(job: &Job<'_>) -> RunOutput {
    RunOutput {
        engine: Algorithm::CpuSerial { asked: job.options.selection.usual() },
        shape: LaunchShape::Cpu { threads: 1, seed: None },
        ..RunOutput::default()
    }
}

struct Serial<'a> {
    job: &'a Job<'a>,
    specializations: Vec<Resolved<'a>>,
    handles: Handles<'a, InPlace>,
    /// Prefetches, if that pays.
    look_ahead: Option<LookAhead<'a>>,
    recorder: Option<Recorder>,
    output: RunOutput,
    /// Rejected and faulted transactions, with the reason.
    details: Vec<(usize, u32)>,
    alarm: &'a Alarm,
    log: CommitLog<'a>,
    room: &'a Room,
    backlog: Backlog,
    /// Transactions to be run again when all have been run once.
    put_off: Vec<usize>,
    /// To be run next.
    woken: Vec<Waiter>,
}

impl<'a> Serial<'a> {
    fn new(job: &'a Job<'a>, views: &[View<'a>], log: CommitLog<'a>, room: &'a Room) -> Serial<'a> {
        let coverage = || views.iter().map(View::coverage_log2).collect();
        let mut direct = Direct::new(views.to_vec());
        if job.options.check {
            direct.trace_accesses();
        }
        Serial {
            job,
            specializations: job.resolve(),
            handles: Handles::new(direct, !job.options.check, log.alarm, &job.printer),
            look_ahead: LookAhead::new(job, views),
            recorder: job.options.check.then(|| Recorder::new(coverage())),
            output: new_output(job),
            details: Vec::new(),
            alarm: log.alarm,
            log,
            room,
            backlog: Backlog::default(),
            put_off: Vec::new(),
            woken: Vec::new(),
        }
    }

    fn run(mut self) -> (RunOutput, Vec<(usize, u32)>) {
        if let Err(Halted) = self.all() {
            self.output.unresolved_reason = self.output.unresolved_reason.stronger(self.alarm.reason());
        }
        self.output.history = self.recorder.map(|recorder| recorder.history);
        (self.output, self.details)
    }

    fn all(&mut self) -> Result<(), Halted> {
        // Without prefetches there is no reason to stop.
        let (all, step) =
            (self.job.transactions, if self.look_ahead.is_some() { GROUP } else { self.job.transactions });
        for first in (0..all).step_by(step) {
            let group = first..all.min(first + step);
            self.look_ahead(group.clone());
            self.visit_all(group)?;
        }
        // Nothing has changed, so the guards are still false.
        if self.log.counts.changes() == 0 {
            return Ok(());
        }
        // From now on transactions wait for elements, so the accesses must be known.
        self.handles.memory().trace_accesses();
        self.handles.leave_fast_path();
        for transaction in mutant!("serial: one pass is all", std::mem::take(&mut self.put_off), Vec::new()) {
            self.visit(Waiter { transaction, visits: 1 })?;
            self.visit_woken()?;
        }
        loop {
            let changes = self.log.counts.changes();
            self.backlog.take(self.room, changes, &mut self.woken).map_err(|short| self.alarm.fail(short))?;
            if self.woken.is_empty() {
                return Ok(());
            }
            self.visit_woken()?;
        }
    }

    fn visit_woken(&mut self) -> Result<(), Halted> {
        while let Some(waiter) = self.woken.pop() {
            self.visit(waiter)?;
        }
        Ok(())
    }

    #[inline]
    fn look_ahead(&mut self, transactions: Range<usize>) {
        if let Some(look_ahead) = &mut self.look_ahead {
            let job = self.job;
            look_ahead.group(transactions, |transaction| {
                let specialization = job.specialization_of(transaction);
                (specialization, &self.specializations[specialization])
            });
        }
    }

    /// Executes transactions for the first time. Those that commit cost one call together.
    fn visit_all(&mut self, mut transactions: Range<usize>) -> Result<(), Halted> {
        while !transactions.is_empty() {
            let mut alike = self.job.alike(transactions.clone());
            transactions.start = alike.end;
            while !alike.is_empty() {
                alike.start = self.visit_some(alike.clone(), 1)?;
            }
        }
        Ok(())
    }

    /// Executes a transaction once more.
    fn visit(&mut self, waiter: Waiter) -> Result<(), Halted> {
        let visits = waiter.visits.saturating_add(1);
        self.visit_some(waiter.transaction..waiter.transaction + 1, visits).map(|_| ())
    }

    /// Executes transactions of one specialization once each, up to the first one that does not commit; unless its outcome is
    /// final, it waits. Returns where to go on.
    fn visit_some(&mut self, transactions: Range<usize>, visits: u32) -> Result<usize, Halted> {
        self.output.passes = self.output.passes.max(u64::from(visits));
        let specialization = &self.specializations[self.job.specialization_of(transactions.start)];
        let mut claim = Claim::of(transactions, &self.log);
        let ended = specialization.attempt(&mut self.handles, 0, &mut claim);
        let next = claim.next;
        match ended {
            Ended::All | Ended::Ready => Ok(next),
            Ended::Halted => Err(Halted),
            Ended::Committed => {
                self.record(next - 1, true)?;
                self.wake(next - 1).map_err(|short| self.alarm.fail(short))?;
                Ok(next)
            }
            Ended::Early(abort) => {
                self.ended_early(Waiter { transaction: next, visits }, abort)?;
                Ok(next + 1)
            }
        }
    }

    fn record(&mut self, transaction: usize, committed: bool) -> Result<(), Halted> {
        let Some(recorder) = &mut self.recorder else { return Ok(()) };
        recorder.record(transaction, self.handles.memory().trace(), committed).map_err(|short| self.alarm.fail(short))
    }

    /// Handles a transaction that has not committed. Its writes are undone.
    #[cold]
    fn ended_early(&mut self, waiter: Waiter, abort: Abort) -> Result<(), Halted> {
        self.handles.memory().roll_back();
        let transaction = waiter.transaction;
        let (status, detail) = match abort.kind() {
            // A transaction alone has no conflicts, and the last attempt was on the slow path.
            AbortKind::Postponed | AbortKind::Conflict | AbortKind::NeedsSlowPath => {
                self.log.outcomes.set_postponed(transaction);
                self.output.postponements += mutant!("serial: postponements count twice", 1, 2);
                return self.park(waiter).map_err(|short| self.alarm.fail(short));
            }
            AbortKind::Rejected { code } => (REJECTED, code),
            AbortKind::Fault { code, location } => (FAULTED, detail::pack(code, location)),
            AbortKind::Halted => return Err(Halted),
            AbortKind::NoMemory { kib } => return Err(self.alarm.fail(short_of_sets(kib))),
        };
        self.record(transaction, false)?;
        self.log.outcomes.set_status(transaction, status);
        self.log.counts.finish(false);
        if mutant!("serial: the reason of a fault is lost", detail != 0, status == REJECTED) {
            memory::push(WHAT, &mut self.details, (transaction, detail)).map_err(|short| self.alarm.fail(short))?;
        }
        Ok(())
    }

    /// Lets the transaction of the last attempt wait: the first time until all transactions have been run, and later for the
    /// elements that it read.
    fn park(&mut self, waiter: Waiter) -> Result<(), NoMemory> {
        let passes = mutant!("serial: one pass more than the limit", waiter.visits, waiter.visits - 1);
        if self.job.options.pass_limit.is_some_and(|limit| u64::from(passes) >= limit) {
            self.output.unresolved_reason = UnresolvedReason::PassLimit;
            return Ok(());
        }
        if waiter.visits == 1 {
            return memory::push(WHAT, &mut self.put_off, waiter.transaction);
        }
        let changes = self.log.counts.changes();
        let reads = self.handles.memory().trace().iter().filter(|(.., write)| !write);
        if reads.clone().count() > MOST_WATCHED {
            return self.backlog.wait_for_any(waiter, changes);
        }
        // Nothing can change meanwhile: there is only one thread.
        self.room.park(std::iter::once(waiter), reads.map(|access| (element(access), waiter)))
    }

    /// Wakes one of the transactions that wait for each element that the last attempt wrote, and notes the others.
    fn wake(&mut self, transaction: usize) -> Result<(), NoMemory> {
        if !mutant!("serial: a commit wakes nobody", self.room.is_used(), false) {
            return Ok(());
        }
        for element in self.handles.memory().trace().iter().filter(|(.., write)| *write).map(element) {
            let woken = self.room.wake(element, transaction, true)?;
            if let Some(waiter) = woken.first {
                memory::push(WHAT, &mut self.woken, waiter)?;
            }
            if mutant!("serial: a commit forgets whom it does not wake", woken.notes, false) {
                self.backlog.note(element)?;
            }
        }
        Ok(())
    }
}

/// The number of the element of an access.
fn element((array, index, _): &TracedAccess) -> u64 {
    (*array as u64) << ARRAY_SHIFT | index
}

/// Numbers the versions as a lock table would.
struct Recorder {
    history: History,
    coverage_log2: Vec<u32>,
    versions: HashMap<(usize, u64), u64>,
}

impl Recorder {
    fn new(coverage_log2: Vec<u32>) -> Recorder {
        Recorder { history: History::new(true), coverage_log2, versions: HashMap::new() }
    }

    fn record(&mut self, transaction: usize, trace: &[TracedAccess], committed: bool) -> Result<(), NoMemory> {
        let mut entries: Vec<Entry> = memory::with_room(WHAT, trace.len())?;
        for (array, index, write) in trace {
            let lock = index >> self.coverage_log2[*array];
            let version = self.versions.get(&(*array, lock)).copied().unwrap_or(0);
            let entry = match write {
                true if committed => {
                    Entry::write(*array, lock, version + mutant!("serial: a write keeps the version", 1, 0))
                }
                true => continue,
                false => Entry::read(*array, lock, version),
            };
            entries.push(entry);
        }
        // Each access once, no longer in order: a long transaction has many.
        entries.sort_unstable_by_key(|entry| (entry.is_write(), entry.location()));
        entries.dedup();
        for entry in entries.iter().filter(|entry| entry.is_write()) {
            self.versions
                .try_reserve(1)
                .map_err(|_| NoMemory::for_elements::<(u64, u64)>(WHAT, self.versions.len()))?;
            self.versions.insert((entry.array(), entry.lock()), entry.version());
        }
        self.history.push(transaction, entries)
    }
}
