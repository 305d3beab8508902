//! A run of one transaction at a time, on the arrays in place.

use std::ops::Range;

use kernels_gen::abi::detail;

use crate::backend::JobOptions;
use crate::cpu::backlog::{Backlog, MOST_WATCHED};
use crate::cpu::claimed::{ClaimOrder, Executor};
use crate::cpu::recorder::Recorder;
use crate::cpu::rounds::Rounds;
use crate::cpu::state::{CpuRun, Left};
use crate::cpu::statistics::WorkerStatistics;
use crate::cpu::supply::Supply;
use crate::cpu::waiter::Waiter;
use crate::memory::{self, NoMemory};
use crate::outcome::{FAULTED, REJECTED, UnresolvedReason};
use crate::tx::{
    Abort, AbortKind, Claim, CommitLog, Direct, Ended, Halted, Handles, InPlace, TracedAccess, short_of_sets,
};

/// The purpose of the memory of a run's lists, for errors.
const WHAT: &str = "outcomes";
/// The part of the transactions that are left which a pass over them has to finish for another pass: an attempt in a pass takes a few
/// nanoseconds, and to wait for an element some hundreds.
const PROGRESS: usize = 16;
/// The transactions of a pass whose arguments are loaded together.
const LOADED: usize = 64;
/// The position of the array in the number of an element.
const ARRAY_SHIFT: u32 = 48;

/// Runs transaction after transaction, then those whose guard was false, and after each commit one of the transactions that waited
/// for it. No other thread works meanwhile.
pub(crate) struct Serial<'a> {
    run: &'a CpuRun<'a>,
    handles: Handles<'a, InPlace>,
    order: ClaimOrder<'a>,
    recorder: Option<Recorder<'a>>,
    statistics: WorkerStatistics,
    log: CommitLog<'a>,
    backlog: Backlog,
    /// Whether the accesses of attempts are known: those of recorded runs, and those that others may wait for.
    is_traced: bool,
    /// Whether transactions whose guards are false come again in the next pass, and wait for no element.
    makes_passes: bool,
    /// Whether the loop over transactions may note them itself.
    notes_at_once: bool,
    /// To be run next.
    woken: Vec<Waiter>,
    /// The transactions that wait, if those run in push order.
    rounds: Option<Rounds>,
}

impl<'a> Serial<'a> {
    pub(crate) fn new(run: &'a CpuRun<'a>) -> Serial<'a> {
        let (job, pool) = (run.job, run.pool);
        let is_recorded = job.options.check;
        let mut direct = Direct::new(run.views.to_vec());
        if is_recorded {
            direct.trace_accesses();
        }
        // Every commit of a recorded run is of interest, and otherwise those that others may wait for.
        let watch = (!is_recorded).then(|| pool.room.is_used_flag());
        let counts = pool.counts_of(0);
        Serial {
            run,
            handles: Handles::new(direct, !is_recorded, pool.alarm, &job.printer),
            order: ClaimOrder::new(run, true),
            recorder: is_recorded.then(|| Recorder::new(run.views)),
            statistics: WorkerStatistics { passes: 1, profile: job.new_profile(), ..WorkerStatistics::default() },
            log: CommitLog { alarm: pool.alarm, outcomes: run.outcomes, counts, holds: false, watch },
            backlog: Backlog::default(),
            is_traced: is_recorded,
            makes_passes: true,
            notes_at_once: !is_recorded && !job.options.profile && job.options.pass_limit.is_none(),
            woken: Vec::new(),
            rounds: None,
        }
    }

    /// Runs all transactions of a batch.
    pub(crate) fn all(mut self) -> WorkerStatistics {
        let all = Supply::of(0..self.run.job.transactions, 1);
        let ended = self.visit_supply(&all).and_then(|()| self.finish(Left::default()));
        self.end(ended)
    }

    /// Runs all transactions of a batch in push order, and those that wait round by round.
    pub(crate) fn in_push_order(mut self) -> WorkerStatistics {
        let JobOptions { visited, .. } = *self.run.job.options;
        let ended = self.put_off_first(visited).and_then(|()| {
            self.visit_supply(&Supply::of(visited..self.run.job.transactions, 1))?;
            self.finish_in_rounds()
        });
        self.end(ended)
    }

    /// Lets that many of the first transactions wait for the second round: they have had their first turn.
    fn put_off_first(&mut self, visited: usize) -> Result<(), Halted> {
        let put_off = memory::collected(WHAT, 0..visited).map_err(|short| self.log.alarm.fail(short))?;
        (0..visited).for_each(|transaction| self.log.outcomes.set_postponed(transaction));
        self.left().put_off = put_off;
        Ok(())
    }

    /// Returns the results of a run that has ended, or of one that has to.
    pub(crate) fn end(mut self, ended: Result<(), Halted>) -> WorkerStatistics {
        if let Err(Halted) = ended {
            self.statistics.why = self.statistics.why.stronger(self.log.alarm.reason());
        }
        self.statistics.history = self.recorder.map(Recorder::into_history);
        self.statistics
    }

    /// Runs transactions for the first time, as long as the supply lasts.
    pub(crate) fn visit_supply(&mut self, supply: &Supply) -> Result<(), Halted> {
        while let Some(transactions) = supply.claim() {
            self.execute_claimed(transactions)?;
        }
        Ok(())
    }

    /// Returns what waits until all transactions have been run once.
    pub(crate) fn left(&mut self) -> &mut Left {
        &mut self.statistics.left
    }

    /// Runs what this thread, and other threads before it, have left.
    pub(crate) fn finish(&mut self, mut left: Left) -> Result<(), Halted> {
        left.append(&mut self.statistics.left).map_err(|short| self.log.alarm.fail(short))?;
        for waiter in left.lost {
            self.visit(waiter)?;
            self.visit_woken()?;
        }
        // Where nothing has changed, the guards are still false.
        if self.run.pool.changes() == 0 {
            return Ok(());
        }
        let mut put_off = mutant!("serial: one pass is all", left.put_off, Vec::new());
        let noted = &mut self.statistics.left.put_off;
        memory::grow_by(WHAT, &mut put_off, noted.len()).map_err(|short| self.log.alarm.fail(short))?;
        put_off.append(noted);
        put_off.sort_unstable();
        let (mut visits, mut before) = (2, 0);
        loop {
            self.pass(&put_off, visits)?;
            if !self.makes_passes {
                break;
            }
            let again = std::mem::take(&mut self.statistics.left.put_off);
            let finished = put_off.len() - again.len();
            // Where a whole pass has changed nothing, the guards are still false.
            if finished == 0 || again.is_empty() {
                return Ok(());
            }
            // Where passes finish less and less, the last one is near. A chain of guards goes on and on.
            self.makes_passes = PROGRESS * finished >= put_off.len() || 2 * finished <= before;
            (put_off, visits, before) = (again, visits + 1, finished);
        }
        loop {
            let changes = self.run.pool.changes();
            let taken = self.backlog.take(&self.run.pool.room, changes, &mut self.woken);
            taken.map_err(|short| self.log.alarm.fail(short))?;
            if self.woken.is_empty() {
                return Ok(());
            }
            self.visit_woken()?;
        }
    }

    /// Runs what waits, round by round.
    fn finish_in_rounds(&mut self) -> Result<(), Halted> {
        let put_off = std::mem::take(&mut self.left().put_off);
        self.makes_passes = false;
        // Where nothing has changed, the guards are still false.
        if self.run.pool.changes() == 0 && self.run.job.options.visited == 0 {
            return Ok(());
        }
        self.rounds = Some(Rounds::of(put_off).map_err(|short| self.log.alarm.fail(short))?);
        while let Some((row, visits)) = self.rounds.as_mut().and_then(Rounds::next_row) {
            if self.has_reached_limit(visits) {
                return Ok(());
            }
            self.visit_row(row, visits + 1)?;
        }
        Ok(())
    }

    /// Attempts the transactions of a row, until one waits.
    fn visit_row(&mut self, mut row: Range<usize>, visits: u32) -> Result<(), Halted> {
        while !row.is_empty() {
            let mut alike = self.run.job.alike(row.clone());
            self.trace_if_it_prints(alike.start);
            while !alike.is_empty() {
                alike.start = self.visit_some(alike.clone(), visits)?;
                row.start = alike.start;
                if let Some(rounds) = self.rounds.as_mut().filter(|rounds| !rounds.none_waits()) {
                    rounds.put_back(row);
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// Runs transactions once more whose guards were false.
    fn pass(&mut self, postponed: &[usize], visits: u32) -> Result<(), Halted> {
        let job = self.run.job;
        for alike in postponed.chunk_by(|one, next| job.specialization_of(*one) == job.specialization_of(*next)) {
            self.trace_if_it_prints(alike[0]);
            for mut rest in alike.chunks(LOADED) {
                self.run.load_arguments(rest);
                while !rest.is_empty() {
                    let log = self.log;
                    rest = &rest[self.visit_claim(Claim::of_list(rest, &log), visits)?..];
                    self.visit_woken()?;
                }
            }
        }
        Ok(())
    }

    fn visit_woken(&mut self) -> Result<(), Halted> {
        while let Some(waiter) = self.woken.pop() {
            self.visit(waiter)?;
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
        let log = self.log;
        self.visit_claim(Claim::of(transactions, &log), visits)
    }

    /// Executes the transactions of a claim, as [`Serial::visit_some`]. Returns the place where to go on.
    fn visit_claim(&mut self, claim: Claim<'_>, visits: u32) -> Result<usize, Halted> {
        self.statistics.passes = self.statistics.passes.max(u64::from(visits));
        let (run, list, mut claim) = (self.run, claim.list, claim);
        let specialization = &run.specializations[run.job.specialization_of(claim.transaction(claim.next))];
        let put_off = &mut self.statistics.left.put_off;
        let before = put_off.len();
        claim.postponed = (self.makes_passes && self.notes_at_once).then_some(put_off);
        let ended = specialization.attempt(&mut self.handles, 0, &mut claim);
        let next = claim.next;
        let transaction = |place: usize| list.map_or(place, |list| list[place]);
        self.statistics.postponements += (self.statistics.left.put_off.len() - before) as u64;
        match ended {
            Ended::All | Ended::Ready => Ok(next),
            Ended::Halted => Err(Halted),
            Ended::Committed => {
                let committed = transaction(next - 1);
                self.record(committed, true)?;
                self.wake(committed).map_err(|short| self.log.alarm.fail(short))?;
                Ok(next)
            }
            Ended::Early(abort) => {
                self.ended_early(Waiter { transaction: transaction(next), visits }, abort)?;
                Ok(next + 1)
            }
        }
    }

    fn record(&mut self, transaction: usize, committed: bool) -> Result<(), Halted> {
        let Some(recorder) = &mut self.recorder else { return Ok(()) };
        recorder
            .record(transaction, self.handles.memory().trace(), committed)
            .map_err(|short| self.log.alarm.fail(short))
    }

    /// Handles a transaction that has not committed. Its writes are undone.
    #[cold]
    fn ended_early(&mut self, waiter: Waiter, abort: Abort) -> Result<(), Halted> {
        self.handles.memory().roll_back();
        let transaction = waiter.transaction;
        let (status, detail) = match abort.kind() {
            // A transaction alone has no conflicts, and the last attempt was on the slow path.
            AbortKind::Postponed | AbortKind::Conflict | AbortKind::NeedsSlowPath => {
                if !self.makes_passes && waiter.visits > 1 && !self.is_traced {
                    // From now on transactions wait for elements, so what this one reads must be known.
                    self.trace();
                    return self.visit_some(transaction..transaction + 1, waiter.visits).map(|_| ());
                }
                self.log.outcomes.set_postponed(transaction);
                self.statistics.postponements += mutant!("serial: postponements count twice", 1, 2);
                self.statistics.count_wait(self.run.procedure_of(transaction));
                return self.park(waiter).map_err(|short| self.log.alarm.fail(short));
            }
            AbortKind::Rejected { code } => (REJECTED, code),
            AbortKind::Fault { code, location } => (FAULTED, detail::pack(code, location)),
            AbortKind::Halted => return Err(Halted),
            AbortKind::NoMemory { kib } => return Err(self.log.alarm.fail(short_of_sets(kib))),
        };
        self.record(transaction, false)?;
        self.log.outcomes.set_status(transaction, status);
        self.log.counts.finish(false);
        if mutant!("serial: the reason of a fault is lost", detail != 0, status == REJECTED) {
            memory::push(WHAT, &mut self.statistics.details, (transaction, detail))
                .map_err(|short| self.log.alarm.fail(short))?;
        }
        Ok(())
    }

    /// Traces all attempts if the transaction prints: one that is repeated to see what it reads would print again.
    fn trace_if_it_prints(&mut self, transaction: usize) {
        let specialization = self.run.job.specialization_of(transaction);
        if !self.run.specializations[specialization].spec.lines.is_empty() {
            self.trace();
        }
    }

    /// Traces all attempts from now on.
    fn trace(&mut self) {
        self.handles.memory().trace_accesses();
        self.handles.leave_fast_path();
        self.is_traced = true;
    }

    /// Lets the transaction of the last attempt wait: the first time until all transactions have been run, and later for the
    /// elements that it read.
    fn park(&mut self, waiter: Waiter) -> Result<(), NoMemory> {
        let passes = mutant!("serial: one pass more than the limit", waiter.visits, waiter.visits - 1);
        if self.has_reached_limit(passes) {
            return Ok(());
        }
        if self.makes_passes || waiter.visits == 1 {
            return memory::push(WHAT, &mut self.statistics.left.put_off, waiter.transaction);
        }
        let changes = self.run.pool.changes();
        let reads = self.handles.memory().trace().iter().filter(|(.., write)| !write);
        if let Some(rounds) = &mut self.rounds {
            // From now on each commit may let others go on.
            self.log.watch = None;
            return rounds.wait(waiter.transaction, reads.map(element));
        }
        if reads.clone().count() > MOST_WATCHED {
            return self.backlog.wait_for_any(waiter, changes);
        }
        // Nothing can change meanwhile: no other thread works.
        self.run.pool.room.park(std::iter::once(waiter), reads.map(|access| (element(access), waiter)))
    }

    /// Returns whether transactions that have been executed that often must not be executed again, and notes that for the report.
    fn has_reached_limit(&mut self, passes: u32) -> bool {
        let is_reached = self.run.job.options.pass_limit.is_some_and(|limit| u64::from(passes) >= limit);
        if is_reached {
            self.statistics.why = UnresolvedReason::PassLimit;
        }
        is_reached
    }

    /// Wakes one of the transactions that wait for each element that the last attempt wrote, and notes the others.
    fn wake(&mut self, transaction: usize) -> Result<(), NoMemory> {
        if let Some(rounds) = &mut self.rounds {
            return rounds.wrote(self.handles.memory().trace().iter().filter(|(.., write)| *write).map(element));
        }
        if !mutant!("serial: a commit wakes nobody", self.run.pool.room.is_used(), false) {
            return Ok(());
        }
        for element in self.handles.memory().trace().iter().filter(|(.., write)| *write).map(element) {
            let woken = self.run.pool.room.wake(element, transaction, true)?;
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

impl<'a> Executor<'a> for Serial<'a> {
    fn order(&mut self) -> &mut ClaimOrder<'a> {
        &mut self.order
    }

    fn put_off(&self) -> usize {
        self.statistics.left.put_off.len()
    }

    /// Those that commit cost one call together.
    fn execute_range(&mut self, mut alike: Range<usize>) -> Result<(), Halted> {
        while !alike.is_empty() {
            alike.start = self.visit_some(alike.clone(), 1)?;
        }
        Ok(())
    }

    fn execute_list(&mut self, mut list: &[usize]) -> Result<(), Halted> {
        while !list.is_empty() {
            let log = self.log;
            list = &list[self.visit_claim(Claim::of_list(list, &log), 1)?..];
        }
        Ok(())
    }
}

/// The number of the element of an access.
fn element((array, index, _): &TracedAccess) -> u64 {
    (*array as u64) << ARRAY_SHIFT | index
}
