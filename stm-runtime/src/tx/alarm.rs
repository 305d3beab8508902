//! Ends a run early: at its time limit, by its stop flag, or after a failure.
//!
//! Every worker checks the alarm before each attempt, and in long loops inside an attempt. So a check must cost a load or two.
//! A separate thread sleeps until the time limit, and no worker reads a clock. If the system refuses that thread, each check
//! reads the clock.

use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::error::Error;
use crate::outcome::UnresolvedReason;
use crate::stop::StopFlags;

/// The run has to end, for [`Alarm::reason`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Halted;

/// The alarm of a run, which ends it early.
#[derive(Debug)]
pub(crate) struct Alarm {
    /// One of the values below. It determines what a check does.
    state: AtomicU8,
    stop: StopFlags,
    deadline: Option<Instant>,
    watch: Mutex<Watch>,
    changed: Condvar,
}

/// Do nothing: there is no flag, and no time limit that a thread does not watch.
const QUIET: u8 = 0;
/// Check the flags.
const FLAG: u8 = 1;
/// Check the clock, and the flags.
const CLOCK: u8 = 2;
/// End: the run is over, for any reason.
const RUNG: u8 = 3;

#[derive(Debug, Default)]
struct Watch {
    /// All workers have finished: the watch ends.
    is_over: bool,
    failure: Option<Error>,
}

impl Alarm {
    /// Returns the alarm of a run that began at `start`, with the user's time limit and flags.
    pub(crate) fn new(time_limit: Option<Duration>, stop: &StopFlags, start: Instant) -> Alarm {
        // A limit beyond the range of the clock is no limit.
        let time_limit = mutant!("cpu: the time limit is overlooked", time_limit, None);
        let deadline = time_limit.and_then(|limit| start.checked_add(limit));
        let state = match (stop.is_some(), deadline) {
            (_, Some(_)) => CLOCK,
            (true, None) => FLAG,
            (false, None) => QUIET,
        };
        let (stop, watch, changed) = (stop.clone(), Mutex::default(), Condvar::new());
        Alarm { state: AtomicU8::new(state), stop, deadline, watch, changed }
    }

    /// Returns true if the run has to end. [`Alarm::reason`] says why.
    #[inline]
    pub(crate) fn is_over(&self) -> bool {
        let state = self.state.load(Ordering::Relaxed);
        state != QUIET && (state == RUNG || self.is_stopped() || (state == CLOCK && self.is_late()))
    }

    /// Returns why the run has to end, once it has. A failed run gives its transactions no reason.
    pub(crate) fn reason(&self) -> UnresolvedReason {
        let is_late = self.state.load(Ordering::Relaxed) == RUNG || self.is_late();
        // A flag that was set may have been reset since.
        if self.is_stopped() || !is_late { UnresolvedReason::Stopped } else { UnresolvedReason::TimeLimit }
    }

    /// Returns the error that the run fails with, if it fails.
    pub(crate) fn failure(&self) -> Option<Error> {
        self.lock().failure.clone()
    }

    #[inline]
    fn is_stopped(&self) -> bool {
        mutant!("cpu: the stop flag is overlooked", self.stop.is_set(), false)
    }

    #[cold]
    fn is_late(&self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// Ends the run with an error. Only the first error is kept.
    #[cold]
    pub(crate) fn fail(&self, error: impl Into<Error>) -> Halted {
        self.lock().failure.get_or_insert_with(|| error.into());
        self.give_up();
        Halted
    }

    /// Ends the run because it has failed, or because a panic unwinds to the user.
    #[cold]
    pub(crate) fn give_up(&self) {
        self.state.store(RUNG, Ordering::Relaxed);
    }

    /// Returns true if the run has a time limit.
    pub(crate) fn needs_watch(&self) -> bool {
        self.deadline.is_some()
    }

    /// Stops the workers from reading the clock: a thread will call [`Alarm::keep_watch`].
    pub(crate) fn is_watched(&self) {
        // A limit that has passed before the run begins must not depend on how soon that thread gets a core.
        let state = if self.is_late() {
            RUNG
        } else if self.stop.is_some() {
            FLAG
        } else {
            QUIET
        };
        // The alarm may have rung already; then it stays so.
        let _ = self.state.compare_exchange(CLOCK, state, Ordering::Relaxed, Ordering::Relaxed);
    }

    /// Sleeps until the time limit and then rings, or until all workers have finished.
    pub(crate) fn keep_watch(&self) {
        let mut watch = self.lock();
        while let (false, Some(deadline)) = (watch.is_over, self.deadline) {
            let rest = deadline.saturating_duration_since(Instant::now());
            if rest.is_zero() {
                return self.give_up();
            }
            watch = self.changed.wait_timeout(watch, rest).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Ends the watch: all workers have finished.
    pub(crate) fn end_watch(&self) {
        self.lock().is_over = true;
        self.changed.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, Watch> {
        // Each change leaves the value complete, so a panic elsewhere does no harm.
        self.watch.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;

    use super::*;

    fn alarm(time_limit: Option<Duration>, user: Option<Arc<AtomicBool>>) -> Alarm {
        Alarm::new(time_limit, &StopFlags { user, handle: None }, Instant::now())
    }

    #[test]
    fn whoever_asks_finds_the_time_up_with_and_without_a_watch() {
        let unwatched = alarm(Some(Duration::from_millis(2)), None);
        while !unwatched.is_over() {}
        assert_eq!(unwatched.reason(), UnresolvedReason::TimeLimit);

        let watched = alarm(Some(Duration::from_millis(2)), None);
        watched.is_watched();
        watched.keep_watch();
        assert!(watched.is_over());
        assert_eq!(watched.reason(), UnresolvedReason::TimeLimit);
    }

    #[test]
    fn a_watch_ends_with_the_run() {
        let alarm = alarm(Some(Duration::from_secs(1 << 30)), None);
        alarm.is_watched();
        std::thread::scope(|scope| {
            let watch = scope.spawn(|| alarm.keep_watch());
            alarm.end_watch();
            watch.join().unwrap();
        });
        assert!(!alarm.is_over());
    }

    #[test]
    fn a_time_limit_past_the_end_of_the_clock_is_none() {
        let alarm = alarm(Some(Duration::MAX), None);
        assert!(!alarm.needs_watch() && !alarm.is_over());
    }

    #[test]
    fn flags_and_failures_are_told_apart() {
        let stop = Arc::new(AtomicBool::new(false));
        let alarm = alarm(Some(Duration::from_secs(1 << 30)), Some(stop.clone()));
        assert!(!alarm.is_over());
        stop.store(true, Ordering::Relaxed);
        assert!(alarm.is_over());
        assert_eq!((alarm.reason(), alarm.failure()), (UnresolvedReason::Stopped, None));
        alarm.fail(Error::ArrayInUse);
        alarm.fail(Error::NoPart { number: 1, parts: 1 });
        assert_eq!(alarm.failure(), Some(Error::ArrayInUse));
    }
}
