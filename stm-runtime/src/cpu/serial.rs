//! A run of one transaction at a time, on the arrays in place.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use kernels_gen::abi::detail;

use crate::backend::{Job, Resolved};
use crate::cpu::backlog::{Backlog, MOST_WATCHED};
use crate::cpu::prefetch::{GROUP, LookAhead};
use crate::cpu::room::Room;
use crate::cpu::store::arrays_of;
use crate::cpu::team::Team;
use crate::cpu::usage::memory_used;
use crate::cpu::waiter::Waiter;
use crate::error::Error;
use crate::memory::{self, NoMemory};
use crate::outcome::{
    Algorithm, COMMITTED, Entry, FAULTED, History, LaunchShape, POSTPONED, REJECTED, RunOutput, Times, UnresolvedReason,
};
use crate::tx::{Abort, AbortKind, Alarm, CpuArray, Direct, Halted, Tx, short_of_sets};

/// The purpose of the memory of a run's lists, for errors.
const WHAT: &str = "outcomes";
/// The position of the array in the number of an element.
const ARRAY_SHIFT: u32 = 48;

/// Runs a batch: transaction after transaction, then the transactions whose guard was false, and after each commit one of the
/// transactions that waited for it.
pub(super) fn run(job: &Job<'_>) -> Result<RunOutput, Error> {
    let arrays = arrays_of(job);
    // The working thread takes it. A second thread is started only if the system refuses the first one.
    let output = Mutex::new(Some(new_output(job)?));
    let (start, finished) = (Instant::now(), AtomicU64::new(0));
    let alarm = Alarm::new(job.options.time_limit, job.options.stop.as_ref(), start);
    let work = || {
        let output = output.lock().unwrap_or_else(PoisonError::into_inner).take();
        output.map(|output| Serial::new(job, &arrays, output, &alarm, &finished).run())
    };
    let team = Team { job, alarm: &alarm, start, finished: &|| finished.load(Ordering::Relaxed) };
    let ended = team.work(1, |_| work, |_| ())?;
    let mut output = ended.into_iter().flatten().next().unwrap_or_else(|| Ok(RunOutput::default()))?;
    output.times = Times { kernel: start.elapsed(), ..Times::default() };
    output.memory = memory_used(job, &arrays);
    Ok(output)
}

fn new_output(job: &Job<'_>) -> Result<RunOutput, NoMemory> {
    Ok(RunOutput {
        status: memory::zeroed("outcomes", job.transactions)?,
        results: memory::zeroed("results", job.results.saturating_mul(job.transactions))?,
        engine: Algorithm::CpuSerial { asked: job.options.selection.usual() },
        shape: LaunchShape::Cpu { threads: 1, seed: None },
        ..RunOutput::default()
    })
}

struct Serial<'a> {
    job: &'a Job<'a>,
    specializations: Vec<Resolved<'a>>,
    tx: Tx<'a>,
    /// The words of the current transaction's result.
    result: Vec<u64>,
    /// Prefetches, if that pays.
    look_ahead: Option<LookAhead<'a>>,
    recorder: Option<Recorder>,
    output: RunOutput,
    alarm: &'a Alarm,
    /// Transactions with a final outcome, for the progress.
    finished: &'a AtomicU64,
    /// Commits so far that wrote something.
    changes: u64,
    room: Room,
    backlog: Backlog,
    /// Transactions to be run again when all have been run once.
    put_off: Vec<usize>,
    /// To be run next.
    woken: Vec<Waiter>,
}

impl<'a> Serial<'a> {
    fn new(
        job: &'a Job<'a>,
        arrays: &[&'a CpuArray],
        output: RunOutput,
        alarm: &'a Alarm,
        finished: &'a AtomicU64,
    ) -> Serial<'a> {
        let coverage = || arrays.iter().map(|array| array.coverage_log2()).collect();
        let mut direct = Direct::new(arrays.to_vec());
        if job.options.check {
            direct.trace_accesses();
        }
        Serial {
            job,
            specializations: job.resolve(),
            tx: Tx::direct(direct, alarm).printing(&job.printer),
            result: vec![0; job.results],
            look_ahead: LookAhead::new(job, arrays),
            recorder: job.options.check.then(|| Recorder::new(coverage())),
            output,
            alarm,
            finished,
            changes: 0,
            room: Room::new(job.transactions),
            backlog: Backlog::default(),
            put_off: Vec::new(),
            woken: Vec::new(),
        }
    }

    fn run(mut self) -> Result<RunOutput, Error> {
        if let Err(Halted) = self.all() {
            self.output.unresolved_reason = self.output.unresolved_reason.stronger(self.alarm.reason());
        }
        if let Some(error) = self.alarm.failure() {
            return Err(error);
        }
        self.output.history = self.recorder.map(|recorder| recorder.history);
        Ok(self.output)
    }

    fn all(&mut self) -> Result<(), Halted> {
        for transaction in 0..self.job.transactions {
            if transaction % GROUP == 0 {
                self.look_ahead(transaction);
            }
            self.visit(Waiter { transaction, visits: 0 })?;
        }
        // Nothing has changed, so the guards are still false.
        if self.changes == 0 {
            return Ok(());
        }
        // From now on transactions wait for elements, so the accesses must be known.
        self.memory()?.trace_accesses();
        for transaction in mutant!("serial: one pass is all", std::mem::take(&mut self.put_off), Vec::new()) {
            self.visit(Waiter { transaction, visits: 1 })?;
            self.visit_woken()?;
        }
        loop {
            self.backlog.take(&self.room, self.changes, &mut self.woken).map_err(|short| self.alarm.fail(short))?;
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
    fn look_ahead(&mut self, first: usize) {
        if let Some(look_ahead) = &mut self.look_ahead {
            let job = self.job;
            look_ahead.group(first..job.transactions.min(first + GROUP), |transaction| {
                let specialization = job.specialization_of(transaction);
                (specialization, &self.specializations[specialization])
            });
        }
    }

    /// Executes a transaction once. Unless the outcome is final, it waits.
    #[inline]
    fn visit(&mut self, waiter: Waiter) -> Result<(), Halted> {
        if self.alarm.is_over() {
            return Err(Halted);
        }
        let transaction = waiter.transaction;
        let waiter = Waiter { visits: waiter.visits.saturating_add(1), transaction };
        self.output.passes = self.output.passes.max(u64::from(waiter.visits));
        let specialization = &self.specializations[self.job.specialization_of(transaction)];
        self.tx.begin(specialization.spec, specialization.for_update);
        match specialization.call(&mut self.tx, transaction, &mut self.result) {
            Ok(()) => self.commit(transaction),
            Err(abort) => self.ended_early(waiter, abort),
        }
    }

    #[inline]
    fn commit(&mut self, transaction: usize) -> Result<(), Halted> {
        // Results of other transactions may have more words than this one.
        let spec = self.specializations[self.job.specialization_of(transaction)].spec;
        for (component, word) in self.result.iter().take(spec.result.len()).enumerate() {
            self.output.results[component * self.job.transactions + transaction] = *word;
        }
        self.output.status[transaction] = COMMITTED;
        self.count_finished();
        let has_written = self.tx.in_place().is_some_and(Direct::commit);
        self.changes += u64::from(has_written);
        if self.room.is_used() || self.recorder.is_some() {
            return self.record_and_wake(transaction);
        }
        Ok(())
    }

    /// Counts for the progress. Only this thread writes the number.
    #[inline]
    fn count_finished(&self) {
        self.finished.store(self.finished.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
    }

    #[cold]
    fn record_and_wake(&mut self, transaction: usize) -> Result<(), Halted> {
        self.record(transaction, true)?;
        self.wake(transaction).map_err(|short| self.alarm.fail(short))
    }

    fn record(&mut self, transaction: usize, committed: bool) -> Result<(), Halted> {
        let (Some(recorder), Some(direct)) = (&mut self.recorder, self.tx.in_place()) else { return Ok(()) };
        recorder.record(transaction, direct.trace(), committed).map_err(|short| self.alarm.fail(short))
    }

    /// Handles a transaction that has not committed. Its writes are undone.
    #[cold]
    fn ended_early(&mut self, waiter: Waiter, abort: Abort) -> Result<(), Halted> {
        self.memory()?.roll_back();
        let transaction = waiter.transaction;
        let (status, detail) = match abort.kind() {
            // A transaction alone has no conflicts.
            AbortKind::Postponed | AbortKind::Conflict => {
                self.output.status[transaction] = POSTPONED;
                self.output.postponements += mutant!("serial: postponements count twice", 1, 2);
                return self.park(waiter).map_err(|short| self.alarm.fail(short));
            }
            AbortKind::Rejected { code } => (REJECTED, code),
            AbortKind::Fault { code, location } => (FAULTED, detail::pack(code, location)),
            AbortKind::Halted => return Err(Halted),
            AbortKind::NoMemory { kib } => return Err(self.alarm.fail(short_of_sets(kib))),
        };
        self.record(transaction, false)?;
        self.output.status[transaction] = status;
        self.count_finished();
        if mutant!("serial: the reason of a fault is lost", detail != 0, status == REJECTED) {
            if self.output.detail.is_empty() {
                let details = memory::zeroed(WHAT, self.job.transactions);
                self.output.detail = details.map_err(|short| self.alarm.fail(short))?;
            }
            self.output.detail[transaction] = detail;
        }
        Ok(())
    }

    /// Returns the memory of the transactions.
    fn memory(&mut self) -> Result<&mut Direct<'a>, Halted> {
        self.tx.in_place().ok_or(Halted)
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
        let (changes, Some(direct)) = (self.changes, self.tx.in_place()) else { return Ok(()) };
        let reads = direct.trace().iter().filter(|(.., write)| !write);
        if reads.clone().count() > MOST_WATCHED {
            return self.backlog.wait_for_any(waiter, changes);
        }
        // Nothing can change meanwhile: there is only one thread.
        self.room.park(std::iter::once(waiter), reads.map(|access| (element(access), waiter)))
    }

    /// Wakes one of the transactions that wait for each element that the last attempt wrote, and notes the others.
    fn wake(&mut self, transaction: usize) -> Result<(), NoMemory> {
        let (true, Some(direct)) =
            (mutant!("serial: a commit wakes nobody", self.room.is_used(), false), self.tx.in_place())
        else {
            return Ok(());
        };
        for element in direct.trace().iter().filter(|(.., write)| *write).map(element) {
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
fn element((array, index, _): &(usize, u64, bool)) -> u64 {
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

    fn record(&mut self, transaction: usize, trace: &[(usize, u64, bool)], committed: bool) -> Result<(), NoMemory> {
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
