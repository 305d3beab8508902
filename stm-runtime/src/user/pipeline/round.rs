//! One batch of a pipeline, as its tickets see it: they share its end.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::task::{Context, Waker};

use crate::error::Error;
use crate::inside;
use crate::user::report::Report;

/// The end of a batch, and those who wait for it.
#[derive(Default)]
pub(super) struct Round {
    end: OnceLock<Result<Report, Error>>,
    /// Those of tasks that poll a ticket.
    wakers: Mutex<Vec<Waker>>,
    ended: Condvar,
}

impl Round {
    /// Ends the round, unless it has ended, and wakes all who wait.
    pub(super) fn end(&self, end: Result<Report, Error>) {
        let _ = self.end.set(end);
        // A thread holds this lock from its last look at the end until it waits. So a thread that has not seen the end waits by now.
        let wakers = std::mem::take(&mut *self.lock());
        self.ended.notify_all();
        for waker in wakers {
            // A waker that panics must not keep the others from waking.
            let _ = catch_unwind(AssertUnwindSafe(|| waker.wake()));
        }
    }

    /// Returns the end, if the round has ended.
    pub(super) fn get(&self) -> Option<&Result<Report, Error>> {
        self.end.get()
    }

    /// Waits for the end.
    ///
    /// # Errors
    /// The caller is inside a run.
    pub(super) fn wait(&self) -> Result<&Result<Report, Error>, Error> {
        if self.get().is_none() && !inside::is_inside() {
            drop(self.ended.wait_while(self.lock(), |_| self.get().is_none()).unwrap_or_else(PoisonError::into_inner));
        }
        self.get().ok_or(Error::WaitInside)
    }

    /// Returns the end, or has the task woken at the end. `place` is where the ticket has its waker.
    pub(super) fn poll(&self, place: &mut Option<usize>, context: &Context<'_>) -> Option<&Result<Report, Error>> {
        if self.get().is_none() {
            let waker = context.waker().clone();
            let mut wakers = self.lock();
            if self.get().is_none() {
                match place.and_then(|at| wakers.get_mut(at)) {
                    Some(own) => *own = waker,
                    None => {
                        *place = Some(wakers.len());
                        wakers.push(waker);
                    }
                }
            }
        }
        self.get()
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Waker>> {
        self.wakers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
