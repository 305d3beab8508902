//! One thread of the threaded engine: it claims transactions, repeats conflicts, queues transactions with false guards, and
//! attempts again the transactions that a commit wakes.

use std::ops::Range;

use kernels_gen::abi::detail;

use crate::backend::Resolved;
use crate::cpu::backlog::MOST_WATCHED;
use crate::cpu::claimed::{ClaimOrder, Executor};
use crate::cpu::parking::Parking;
use crate::cpu::pool::{Membership, Next, WorkerPool};
use crate::cpu::stage::Stage;
use crate::cpu::state::CpuRun;
use crate::cpu::statistics::WorkerStatistics;
use crate::cpu::waiter::Waiter;
use crate::memory;
use crate::outcome::{CONFLICTED, FAULTED, History, REJECTED, UnresolvedReason};
use crate::sync::spin_loop;
use crate::tx::attempt::Attempt;
use crate::tx::sets::Read;
use crate::tx::{Abort, AbortKind, Claim, CommitLog, Ended, Halted, Handles, Memory, OnThreads, short_of_sets};

/// Attempts at a transaction before it is left for later.
const ATTEMPTS: u32 = 64;
/// Attempts after which a losing thread yields its core: the winner may be waiting for one.
const YIELD_AFTER: u32 = 6;
/// The longest back-off, as a power of two of spins.
const MAX_BACKOFF_LOG2: u32 = 10;
/// The most woken transactions that a thread keeps for itself. Other threads may take the rest.
const MOST_WOKEN: usize = 16;
/// The purpose of the memory of a thread's lists, for errors.
const WHAT: &str = "outcomes";

/// How one attempt ended, other than by a conflict.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Visit {
    Finished,
    Postponed,
}

/// One thread.
pub(crate) struct Worker<'a> {
    run: &'a CpuRun<'a>,
    stage: &'a Stage,
    membership: Membership<'a>,
    handles: Handles<'a, OnThreads>,
    log: CommitLog<'a>,
    order: ClaimOrder<'a>,
    /// Transactions that are about to be queued.
    parking: Parking<'a>,
    /// Transactions that a commit woke, to be attempted next.
    woken: Vec<Waiter>,
    /// Its results. What is left are transactions to be attempted again: those with a false guard once all transactions have been
    /// claimed, because most guards hold then, and those that lost too many conflicts before the thread becomes idle.
    statistics: WorkerStatistics,
    random: u64,
}

impl<'a> Worker<'a> {
    pub(crate) fn new(run: &'a CpuRun<'a>, stage: &'a Stage, thread: usize, attempt: Attempt<'a>) -> Worker<'a> {
        let options = run.job.options;
        let statistics = WorkerStatistics {
            history: options.check.then(|| History::new(true)),
            profile: run.job.new_profile(),
            passes: 1,
            ..WorkerStatistics::default()
        };
        let pool = run.pool;
        let membership = Membership::take(pool, thread);
        // Every commit of a recorded or profiled run is of interest, and otherwise those that others may wait for.
        let watch = (!options.check && !options.profile).then(|| pool.room.is_used_flag());
        let log =
            CommitLog { alarm: pool.alarm, outcomes: run.outcomes, counts: membership.counts, holds: false, watch };
        // Threads that run one at a time pass their turns on the slow path.
        let has_fast_path = attempt.turn.is_none();
        Worker {
            run,
            stage,
            membership,
            log,
            handles: Handles::new(attempt, has_fast_path, pool.alarm, &run.job.printer),
            order: ClaimOrder::new(run, false),
            parking: Parking::default(),
            woken: Vec::new(),
            statistics,
            random: seed(options.seed, thread),
        }
    }

    /// Works until nothing is left, or the run ends.
    pub(crate) fn run(mut self) -> WorkerStatistics {
        if let Some(turn) = self.handles.memory().turn.as_mut() {
            turn.join();
        }
        if let Err(Halted) = self.work() {
            self.statistics.why = self.statistics.why.stronger(self.membership.pool.alarm.reason());
        }
        self.statistics.conflicts = self.handles.memory().conflicts;
        self.statistics
    }

    fn work(&mut self) -> Result<(), Halted> {
        while let Some(transactions) = self.stage.supply.claim() {
            self.execute_claimed(transactions)?;
        }
        if self.stage.is_last { self.finish() } else { Ok(()) }
    }

    /// Attempts again what this thread, and other stages, have left, until nothing can change any more.
    fn finish(&mut self) -> Result<(), Halted> {
        self.visit_put_off()?;
        while let Some(mut left) = self.stage.take_left() {
            self.statistics.left.append(&mut left).map_err(|short| self.membership.pool.alarm.fail(short))?;
            self.visit_put_off()?;
        }
        loop {
            for waiter in std::mem::take(&mut self.statistics.left.lost) {
                self.visit(waiter)?;
                self.visit_woken()?;
            }
            self.settle()?;
            self.visit_woken()?;
            if !self.statistics.left.lost.is_empty() || !self.parking.is_empty() {
                continue;
            }
            let turn = self.handles.memory().turn.as_deref();
            match self
                .membership
                .pool
                .next(turn, &mut self.woken)
                .map_err(|short| self.membership.pool.alarm.fail(short))?
            {
                Next::Work => self.visit_woken()?,
                Next::End => return Ok(()),
                Next::Halt => return Err(Halted),
            }
        }
    }

    /// Attempts again the transactions whose guards were false when they were claimed.
    fn visit_put_off(&mut self) -> Result<(), Halted> {
        let (pool, put_off) = (self.membership.pool, std::mem::take(&mut self.statistics.left.put_off));
        if pool.wait_for_first_change(&put_off).map_err(|short| pool.alarm.fail(short))? {
            return Ok(());
        }
        for transaction in put_off {
            self.visit(Waiter { transaction, visits: 1 })?;
            self.visit_woken()?;
        }
        Ok(())
    }

    #[inline]
    fn visit_woken(&mut self) -> Result<(), Halted> {
        while let Some(waiter) = self.woken.pop() {
            self.visit(waiter)?;
        }
        Ok(())
    }

    /// Executes transactions of one specialization for the first time: those at some places of a list, or those numbers. Those that commit cost
    /// one call together.
    fn execute_places(&mut self, list: Option<&[usize]>, mut places: Range<usize>) -> Result<(), Halted> {
        let (run, transaction) = (self.run, |place: usize| list.map_or(place, |list| list[place]));
        let specialization = &run.specializations[run.job.specialization_of(transaction(places.start))];
        while !places.is_empty() {
            // What is about to be queued has to be queued before the commits that wake it.
            self.settle()?;
            self.log.holds = false;
            let mut claim = Claim { list, ..Claim::of(places.clone(), &self.log) };
            let ended = specialization.attempt(&mut self.handles, specialization.for_update, &mut claim);
            let next = claim.next;
            places.start = next;
            match ended {
                Ended::All | Ended::Ready => {}
                Ended::Halted => return Err(Halted),
                Ended::Committed => self.after_commit(transaction(next - 1))?,
                Ended::Early(abort) => {
                    places.start += 1;
                    let transaction =
                        mutant!("cpu: a place in a list is taken for the transaction there", transaction(next), next);
                    let waiter = Waiter { transaction, visits: 1 };
                    let ended = self.ended_early(abort, waiter.transaction)?;
                    self.visit_from(waiter, Some(ended))?;
                }
            }
            self.visit_woken()?;
        }
        Ok(())
    }

    /// Attempts a transaction until it is finished or waits, or has lost too many conflicts.
    fn visit(&mut self, waiter: Waiter) -> Result<(), Halted> {
        let waiter = Waiter { visits: waiter.visits.saturating_add(1), ..waiter };
        self.statistics.passes = self.statistics.passes.max(u64::from(waiter.visits));
        self.visit_from(waiter, None)
    }

    /// Does the same from the end of the first attempt on, if that has been made.
    fn visit_from(&mut self, waiter: Waiter, mut first: Option<Option<Visit>>) -> Result<(), Halted> {
        let run = self.run;
        let specialization = &run.specializations[run.job.specialization_of(waiter.transaction)];
        let mut lost = 0;
        while lost < ATTEMPTS {
            let ended = match first.take() {
                Some(ended) => ended,
                None if run.pool.alarm.is_over() => return Err(Halted),
                None => self.attempt(specialization, waiter)?,
            };
            match ended {
                Some(Visit::Finished) => return Ok(()),
                Some(Visit::Postponed) => {
                    if self.put_off(waiter)? {
                        return Ok(());
                    }
                }
                None => {
                    lost += 1;
                    self.profile(specialization);
                    self.back_off(lost);
                }
            }
        }
        run.outcomes.set_status(waiter.transaction, CONFLICTED);
        self.leave_for_later(waiter)
    }

    #[cold]
    fn leave_for_later(&mut self, waiter: Waiter) -> Result<(), Halted> {
        if mutant!("cpu: conflicts count as waiting", self.is_last_visit(waiter), true) {
            return Ok(());
        }
        memory::push(WHAT, &mut self.statistics.left.lost, waiter)
            .map_err(|short| self.membership.pool.alarm.fail(short))
    }

    /// Returns true if the transaction has been visited as often as the user allows.
    fn is_last_visit(&mut self, waiter: Waiter) -> bool {
        let passes = mutant!("cpu: one pass more than the limit", waiter.visits, waiter.visits - 1);
        let is_last = self.run.job.options.pass_limit.is_some_and(|limit| u64::from(passes) >= limit);
        if is_last {
            self.statistics.why = self.statistics.why.stronger(UnresolvedReason::PassLimit);
        }
        is_last
    }

    /// Lets the transaction of the last attempt wait, whose guard was false: the first time until all transactions have been
    /// claimed, and later for the elements that it read. Returns false if the transaction has to be attempted again at once.
    fn put_off(&mut self, waiter: Waiter) -> Result<bool, Halted> {
        self.statistics.postponements += mutant!("cpu: postponements count twice", 1, 2);
        self.statistics.count_wait(self.run.procedure_of(waiter.transaction));
        if self.is_last_visit(waiter) {
            return Ok(true);
        }
        let pool = self.membership.pool;
        let attempt = self.handles.memory();
        let waits = if waiter.visits == 1 {
            memory::push(WHAT, &mut self.statistics.left.put_off, waiter.transaction).map(|()| true)
        } else if attempt.reads().len() > MOST_WATCHED {
            pool.wait_for_any(waiter, || attempt.reads().iter().all(Read::is_current))
        } else {
            self.parking.add(waiter, attempt).map(|()| true)
        };
        let waits = waits.map_err(|short| pool.alarm.fail(short))?;
        if self.parking.is_full() {
            self.settle()?;
        }
        Ok(waits)
    }

    /// Queues the transactions that are about to be queued.
    fn settle(&mut self) -> Result<(), Halted> {
        if self.parking.is_empty() {
            return Ok(());
        }
        let (pool, mut changed) = (self.membership.pool, Vec::new());
        let attempt = self.handles.memory();
        self.parking.settle(&pool.room, attempt, &mut changed).map_err(|short| pool.alarm.fail(short))?;
        changed.into_iter().try_for_each(|(element, transaction)| wake(pool, element, transaction, &mut self.woken))
    }

    /// Makes one attempt; returns `None` for a conflict.
    #[inline]
    fn attempt(&mut self, specialization: &Resolved<'_>, waiter: Waiter) -> Result<Option<Visit>, Halted> {
        let transaction = waiter.transaction;
        // A transaction that comes again will most often find its guard false again, and would only be in the way of others.
        let for_update = if waiter.visits > 1 { 0 } else { specialization.for_update };
        // Settle before the commit, so that it wakes the transactions that read the elements it writes.
        self.log.holds = !self.parking.is_empty();
        let mut claim = Claim::of(transaction..transaction + 1, &self.log);
        let mut ended = specialization.attempt(&mut self.handles, for_update, &mut claim);
        if ended == Ended::Ready {
            self.settle()?;
            ended = match self.handles.memory().commit() {
                Ok(has_written) => {
                    self.log.note_commit(transaction, has_written);
                    Ended::Committed
                }
                Err(abort) => Ended::Early(abort),
            };
        }
        match ended {
            Ended::Early(abort) => return self.ended_early(abort, transaction),
            Ended::Halted => return Err(Halted),
            Ended::Committed => self.after_commit(transaction)?,
            Ended::All | Ended::Ready => {}
        }
        Ok(Some(Visit::Finished))
    }

    /// Records the last commit, and wakes those who wait for it.
    fn after_commit(&mut self, transaction: usize) -> Result<(), Halted> {
        let pool = self.membership.pool;
        if let Some(history) = &mut self.statistics.history {
            history
                .push(transaction, self.handles.memory().entries(self.run.names))
                .map_err(|short| pool.alarm.fail(short))?;
        }
        if let Some(holders) = self.run.holders {
            let procedure = self.run.procedure_of(transaction);
            self.handles.memory().elements_written().for_each(|element| holders.note(element, procedure));
        }
        if mutant!("cpu: a commit wakes nobody", pool.room.is_used(), false) {
            self.wake(transaction)?;
        }
        Ok(())
    }

    /// Wakes transactions that wait for what the last commit wrote, and notes the others.
    #[cold]
    fn wake(&mut self, transaction: usize) -> Result<(), Halted> {
        let pool = self.membership.pool;
        self.handles
            .memory()
            .elements_written()
            .try_for_each(|element| wake(pool, element, transaction, &mut self.woken))
    }

    /// Handles an attempt that ended early.
    fn ended_early(&mut self, abort: Abort, transaction: usize) -> Result<Option<Visit>, Halted> {
        let (status, detail) = match self.handles.memory().end_early(abort).kind() {
            AbortKind::Conflict | AbortKind::NeedsSlowPath => return Ok(None),
            AbortKind::Halted => return Err(Halted),
            AbortKind::NoMemory { kib } => return Err(self.membership.pool.alarm.fail(short_of_sets(kib))),
            AbortKind::Postponed => {
                self.run.outcomes.set_postponed(transaction);
                return Ok(Some(Visit::Postponed));
            }
            AbortKind::Rejected { code } => (REJECTED, code),
            AbortKind::Fault { code, location } => (FAULTED, detail::pack(code, location)),
        };
        if let Some(history) = &mut self.statistics.history {
            history
                .push(transaction, self.handles.memory().read_entries(self.run.names))
                .map_err(|short| self.membership.pool.alarm.fail(short))?;
        }
        self.run.outcomes.set_status(transaction, status);
        memory::push(WHAT, &mut self.statistics.details, (transaction, detail))
            .map_err(|short| self.membership.pool.alarm.fail(short))?;
        self.membership.counts.finish(false);
        Ok(Some(Visit::Finished))
    }

    fn profile(&mut self, specialization: &Resolved<'_>) {
        let at = self.handles.memory().conflict_at.take();
        if let (Some(profile), Some(at)) = (&mut self.statistics.profile, at) {
            self.run.profile_conflict(profile, specialization.procedure_index, &at);
        }
    }

    /// Waits a random time that grows with each loss.
    #[cold]
    fn back_off(&mut self, lost: u32) {
        if lost >= YIELD_AFTER {
            std::thread::yield_now();
        }
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        let spins = self.random & ((1 << lost.min(MAX_BACKOFF_LOG2)) - 1);
        for _ in 0..spins {
            spin_loop();
        }
    }
}

impl<'a> Executor<'a> for Worker<'a> {
    fn order(&mut self) -> &mut ClaimOrder<'a> {
        &mut self.order
    }

    fn put_off(&self) -> usize {
        self.statistics.left.put_off.len()
    }

    fn execute_range(&mut self, alike: Range<usize>) -> Result<(), Halted> {
        if alike.is_empty() { Ok(()) } else { self.execute_places(None, alike) }
    }

    fn execute_list(&mut self, list: &[usize]) -> Result<(), Halted> {
        self.execute_places(Some(list), 0..list.len())
    }
}

/// Wakes one of the transactions that wait for an element which has changed, and notes that the others are due.
fn wake(pool: &WorkerPool<'_>, element: u64, transaction: usize, woken: &mut Vec<Waiter>) -> Result<(), Halted> {
    let found =
        pool.room.wake(element, transaction, woken.len() < MOST_WOKEN).map_err(|short| pool.alarm.fail(short))?;
    if let Some(waiter) = found.first {
        memory::push(WHAT, woken, waiter).map_err(|short| pool.alarm.fail(short))?;
    }
    if mutant!("cpu: a commit forgets whom it does not wake", found.notes, false) {
        pool.note(element).map_err(|short| pool.alarm.fail(short))?;
    }
    Ok(())
}

/// Returns the seed of a thread's random numbers. It is never 0, which is a fixed point of the generator.
fn seed(seed: u64, thread: usize) -> u64 {
    // The finalizer of MurmurHash3 makes the numbers of neighbouring seeds and threads unrelated.
    let mut mixed = seed ^ (thread as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ mixed >> 33).wrapping_mul(0xff51_afd7_ed55_8ccd);
    mixed = (mixed ^ mixed >> 33).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    (mixed ^ mixed >> 33).max(1)
}
