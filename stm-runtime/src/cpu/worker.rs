//! One thread of the threaded engine: claims rows, repeats conflicts, postpones false guards and comes back to them.

use std::ops::Range;

use crate::cpu::attempt::Attempt;
use crate::cpu::crew::{Crew, Seat, Wait};
use crate::cpu::rows::Outcomes;
use crate::cpu::scout::{GROUP, look_ahead};
use crate::cpu::sequential::fault_detail;
use crate::job::{CONFLICTED, FAULTED, Job, POSTPONED, REJECTED};
use crate::proof::History;
use crate::report::{Conflicts, Why};
use crate::row::{Resolved, Row};
use crate::sync::spin_loop;
use crate::tx::{AbortKind, Tx};

/// Attempts at a row before it is left for the next pass.
const ATTEMPTS: u32 = 64;
/// Attempts after which a losing thread gives its core away: the winner may be waiting for one.
const YIELD_AFTER: u32 = 6;
/// The longest back-off, as a power of two of spins.
const MAX_BACKOFF_LOG2: u32 = 10;
/// Rows between two looks at the clock and the stop flag.
const ROWS_PER_LOOK: usize = 1024;

/// What all threads of a run read.
pub(crate) struct Shift<'a> {
    pub(crate) job: &'a Job<'a>,
    pub(crate) bindings: &'a [Resolved<'a>],
    pub(crate) outcomes: &'a Outcomes,
    pub(crate) crew: &'a Crew<'a>,
}

/// What a thread brings back.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    pub(crate) details: Vec<(usize, u32)>,
    pub(crate) history: Option<History>,
    pub(crate) conflicts: Conflicts,
    pub(crate) sites: Vec<Vec<u64>>,
    pub(crate) postponements: u64,
    pub(crate) passes: u64,
    pub(crate) why: Why,
    changes: u64,
    finished: u64,
}

/// What became of a row at one visit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Visit {
    Finished,
    Postponed,
    Conflicted,
}

/// One thread.
pub(crate) struct Worker<'a> {
    shift: &'a Shift<'a>,
    seat: Seat<'a>,
    tx: Tx<'a>,
    /// Looks ahead, where that pays.
    scout: Option<Tx<'a>>,
    /// The words of the current row's result.
    result: Vec<u64>,
    tally: Tally,
    random: u64,
}

impl<'a> Worker<'a> {
    pub(crate) fn new(shift: &'a Shift<'a>, thread: usize, attempt: Attempt<'a>, scout: Option<Tx<'a>>) -> Worker<'a> {
        let options = shift.job.options;
        let sites = || shift.job.kinds.iter().map(|kind| vec![0; kind.spec.sites.len()]).collect();
        let tally = Tally {
            history: options.check.then(|| History::new(false)),
            sites: if options.profile { sites() } else { Vec::new() },
            ..Tally::default()
        };
        // Any odd seed will do; threads must only differ.
        let random = (options.seed ^ (thread as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15)) | 1;
        let tx = Tx::threaded(attempt).printing(&shift.job.printer);
        let seat = Seat::take(shift.crew, thread);
        Worker { shift, seat, tx, scout, result: vec![0; shift.job.results], tally, random }
    }

    /// Works until nothing is left, or a limit is reached.
    pub(crate) fn run(mut self) -> Tally {
        if let Some(turn) = self.tx.attempt().and_then(|attempt| attempt.turn.as_mut()) {
            turn.join();
        }
        if let Err(why) = self.all_passes() {
            self.tally.why = why;
        }
        self.publish();
        if let Some(attempt) = self.tx.attempt() {
            self.tally.conflicts = attempt.conflicts;
        }
        self.tally
    }

    fn all_passes(&mut self) -> Result<(), Why> {
        let crew = self.seat.crew;
        let mut left = Vec::new();
        let mut seen = crew.changes();
        let mut waitable = self.first_pass(&mut left)?;
        while !left.is_empty() {
            if waitable {
                let turn = self.tx.attempt().and_then(|attempt| attempt.turn.as_deref());
                match crew.wait(self.seat.thread, seen, turn) {
                    Wait::Changed => {}
                    Wait::Over => return Err(Why::GuardNeverHeld),
                    Wait::Stopped(why) => return Err(why),
                }
            }
            let passes = mutant!("cpu: one pass more than the limit", self.tally.passes, self.tally.passes - 1);
            if self.shift.job.options.pass_limit.is_some_and(|limit| passes >= limit) {
                return Err(Why::PassLimit);
            }
            seen = crew.changes();
            waitable = self.later_pass(&mut left)?;
        }
        Ok(())
    }

    /// Claims rows until there are none. Waiting may follow if no row was left because of others.
    fn first_pass(&mut self, left: &mut Vec<usize>) -> Result<bool, Why> {
        self.tally.passes = 1;
        let mut waitable = true;
        while let Some(rows) = self.seat.crew.claim() {
            self.look()?;
            for (at, row) in rows.clone().enumerate() {
                if at % GROUP == 0 {
                    self.look_ahead(row..rows.end.min(row + GROUP));
                }
                match self.visit(row) {
                    Visit::Finished => continue,
                    Visit::Postponed => {}
                    Visit::Conflicted => waitable &= mutant!("cpu: conflicts count as waiting", false, true),
                }
                left.push(row);
            }
        }
        self.publish();
        Ok(waitable)
    }

    #[inline]
    fn look_ahead(&mut self, rows: Range<usize>) {
        let shift = self.shift;
        if let Some(scout) = &mut self.scout {
            rows.for_each(|row| look_ahead(scout, &shift.bindings[shift.job.binding_of(row)], row));
        }
    }

    fn later_pass(&mut self, left: &mut Vec<usize>) -> Result<bool, Why> {
        self.tally.passes += 1;
        let (mut waitable, mut kept) = (true, 0);
        for at in 0..left.len() {
            if at % ROWS_PER_LOOK == 0 {
                self.look()?;
            }
            match self.visit(left[at]) {
                Visit::Finished => continue,
                Visit::Postponed => {}
                Visit::Conflicted => waitable &= mutant!("cpu: conflicts count as waiting", false, true),
            }
            left[kept] = left[at];
            kept += 1;
        }
        left.truncate(kept);
        self.publish();
        Ok(waitable)
    }

    fn publish(&self) {
        self.seat.crew.publish(self.seat.thread, self.tally.changes, self.tally.finished);
    }

    fn look(&self) -> Result<(), Why> {
        self.publish();
        self.seat.crew.stop_reason().map_or(Ok(()), Err)
    }

    /// Attempts a row until it is finished or postponed, or others won too often.
    #[inline]
    fn visit(&mut self, row: usize) -> Visit {
        let shift = self.shift;
        let binding = &shift.bindings[shift.job.binding_of(row)];
        let mut lost = 0;
        loop {
            match self.attempt(binding, row) {
                Some(visit) => return visit,
                None => lost += 1,
            }
            self.profile(binding);
            if lost == ATTEMPTS {
                shift.outcomes.set_status(row, CONFLICTED);
                return Visit::Conflicted;
            }
            self.back_off(lost);
        }
    }

    /// One attempt; `None` for a conflict.
    #[inline]
    fn attempt(&mut self, binding: &Resolved<'_>, row: usize) -> Option<Visit> {
        self.tx.begin(binding.kind.spec);
        let ended = (binding.kind.run)(&mut self.tx, &Row::new(binding, row), &mut self.result);
        let attempt = self.tx.attempt()?;
        match ended {
            Ok(()) => {
                attempt.commit().ok()?;
                let changes = mutant!("cpu: reads count as changes", !attempt.is_read_only(), true);
                self.tally.changes += u64::from(changes);
                if let Some(history) = &mut self.tally.history {
                    history.push(row, attempt.entries());
                }
                // Results of other rows may have more words than this one's.
                let leaves = binding.kind.spec.result.len();
                self.shift.outcomes.commit(row, self.result.get(..leaves).unwrap_or_default());
                self.tally.finished += 1;
                Some(Visit::Finished)
            }
            Err(abort) => self.ended_early(abort.kind(), row),
        }
    }

    /// What a thread's attempts see is always of one moment, so a postponement, a reject and a fault are real.
    fn ended_early(&mut self, kind: AbortKind, row: usize) -> Option<Visit> {
        let (status, detail) = match kind {
            AbortKind::Conflict => return None,
            AbortKind::Postponed => {
                self.shift.outcomes.set_status(row, POSTPONED);
                self.tally.postponements += mutant!("cpu: postponements count twice", 1, 2);
                return Some(Visit::Postponed);
            }
            AbortKind::Rejected { code } => (REJECTED, code),
            AbortKind::Fault { code, site } => (FAULTED, fault_detail(code, site)),
        };
        if let (Some(history), Some(attempt)) = (&mut self.tally.history, self.tx.attempt()) {
            history.push(row, attempt.read_entries());
        }
        self.shift.outcomes.set_status(row, status);
        self.tally.details.push((row, detail));
        self.tally.finished += 1;
        Some(Visit::Finished)
    }

    fn profile(&mut self, binding: &Resolved<'_>) {
        let Some(attempt) = self.tx.attempt() else { return };
        let sites = self.tally.sites.get_mut(binding.kind_index);
        if let Some(count) = sites.and_then(|sites| sites.get_mut(attempt.conflict_site as usize)) {
            *count += mutant!("cpu: a conflict counts twice at its line", 1, 2);
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
