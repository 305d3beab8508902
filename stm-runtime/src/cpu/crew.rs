//! What the threads of one run share: the rows still to be claimed, the reasons to stop, and the moment when waiting for
//! guards has become useless.
//!
//! That moment: a thread goes over everything it has left, and nothing changed in any region since before it began; it
//! then waits. When every thread waits like that, on the same number of changes, no guard can ever become true.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::cpu::turns::Turn;
use crate::job::{Job, Options};
use crate::report::Why;

/// Rows that a thread claims at once: few enough to share the work evenly, enough to make claiming free.
const MAX_CHUNK: usize = 4096;
/// How often a waiting thread looks whether another has changed something.
const LOOK: Duration = Duration::from_micros(50);

/// The shared state of one run.
#[derive(Debug)]
pub(crate) struct Crew<'a> {
    rows: usize,
    chunk: usize,
    next: AtomicUsize,
    tallies: Vec<Tally>,
    waiting: Mutex<Waiting>,
    wake: Condvar,
    /// Waiting has become useless.
    over: AtomicBool,
    options: &'a Options,
    deadline: Option<Instant>,
}

/// What one thread tells the others, on cache lines of its own.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Tally {
    /// Commits that wrote something.
    changes: AtomicU64,
    finished: AtomicU64,
}

#[derive(Debug)]
struct Waiting {
    /// For each thread at work: the number of changes on which it waits.
    since: Vec<Option<u64>>,
    /// Threads that work. One that joins late changes nothing: whoever waits has found no row to claim, so all rows are
    /// with threads that work, or finished.
    present: Vec<bool>,
}

/// How a wait ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wait {
    /// Something changed: try again.
    Changed,
    /// Nothing can change any more.
    Over,
    /// The run is to stop.
    Stopped(Why),
}

impl<'a> Crew<'a> {
    pub(crate) fn new(job: &Job<'a>, threads: usize, start: Instant) -> Crew<'a> {
        Crew {
            rows: job.rows,
            chunk: (job.rows / (8 * threads)).clamp(1, MAX_CHUNK),
            next: AtomicUsize::new(0),
            tallies: (0..threads).map(|_| Tally::default()).collect(),
            waiting: Mutex::new(Waiting { since: vec![None; threads], present: vec![false; threads] }),
            wake: Condvar::new(),
            over: AtomicBool::new(false),
            options: job.options,
            deadline: job.options.time_limit.and_then(|limit| start.checked_add(limit)),
        }
    }

    /// The next rows that nobody has claimed.
    pub(crate) fn claim(&self) -> Option<std::ops::Range<usize>> {
        let start = self.next.fetch_add(self.chunk, Ordering::Relaxed);
        mutant!("cpu: the last transaction is not claimed", start < self.rows, start + 1 < self.rows)
            .then(|| start..(start + self.chunk).min(self.rows))
    }

    /// The reason to stop now, if there is one.
    pub(crate) fn stop_reason(&self) -> Option<Why> {
        if self.options.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed)) {
            return mutant!("cpu: the stop flag is overlooked", Some(Why::Stopped), None);
        }
        let is_late = self.deadline.is_some_and(|deadline| Instant::now() >= deadline);
        mutant!("cpu: the time limit is overlooked", is_late, false).then_some(Why::TimeLimit)
    }

    /// Publishes a thread's own counts. It must come after the commits that it counts.
    #[inline]
    pub(crate) fn publish(&self, thread: usize, changes: u64, finished: u64) {
        // Release: a thread that reads these numbers afterwards sees the values behind them.
        self.tallies[thread].changes.store(changes, Ordering::Release);
        self.tallies[thread].finished.store(finished, Ordering::Release);
    }

    /// Commits so far that wrote something, by all threads.
    pub(crate) fn changes(&self) -> u64 {
        self.tallies.iter().map(|tally| tally.changes.load(Ordering::Acquire)).sum()
    }

    /// Rows with a final outcome so far.
    pub(crate) fn finished(&self) -> u64 {
        self.tallies.iter().map(|tally| tally.finished.load(Ordering::Acquire)).sum()
    }

    /// Waits until something has changed since `seen`, which a thread read before it found all its rows postponed. Where threads
    /// run one at a time, the others have their turns meanwhile.
    pub(crate) fn wait(&self, thread: usize, seen: u64, turn: Option<&Turn<'_>>) -> Wait {
        let mut waiting = self.lock();
        waiting.since[thread] = Some(seen);
        loop {
            if self.over.load(Ordering::Relaxed) || self.is_over(&waiting, seen) {
                self.over.store(true, Ordering::Relaxed);
                self.wake.notify_all();
                return Wait::Over;
            }
            if self.changes() != seen {
                waiting.since[thread] = None;
                return Wait::Changed;
            }
            if let Some(why) = self.stop_reason() {
                return Wait::Stopped(why);
            }
            waiting = match turn {
                None => self.wake.wait_timeout(waiting, LOOK).unwrap_or_else(PoisonError::into_inner).0,
                Some(turn) => {
                    drop(waiting);
                    turn.step();
                    self.lock()
                }
            };
        }
    }

    /// Every thread waits, and on the same number of changes: nobody can have changed anything since.
    fn is_over(&self, waiting: &Waiting, seen: u64) -> bool {
        let all_wait = waiting.since.iter().zip(&waiting.present).all(|(since, here)| !here || *since == Some(seen));
        mutant!("cpu: a run is over when one thread waits", all_wait, true) && self.changes() == seen
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A thread's membership. It ends on panics too, so that no other thread waits for ever.
#[derive(Debug)]
pub(crate) struct Seat<'a> {
    pub(crate) crew: &'a Crew<'a>,
    pub(crate) thread: usize,
}

impl<'a> Seat<'a> {
    /// The thread of that number joins.
    pub(crate) fn take(crew: &'a Crew<'a>, thread: usize) -> Seat<'a> {
        crew.lock().present[thread] = true;
        Seat { crew, thread }
    }
}

impl Drop for Seat<'_> {
    fn drop(&mut self) {
        self.crew.lock().present[self.thread] = false;
        self.crew.wake.notify_all();
    }
}
