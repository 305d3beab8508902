//! A run in the background.

use std::fmt;
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use super::batch::{Batch, Due};
use super::options::RunOptions;
use super::report::Report;
use crate::error::Error;
use crate::{inside, threads, trace};

impl Batch<'static> {
    /// Runs every transaction in the background, as [`Batch::run`] does in the foreground. The batch comes back from
    /// [`Running::finish`].
    ///
    /// The run lines up for its arrays now: of two runs on one array the one that was started first is the first, and a read of an
    /// array after this call waits for the run and sees its effects.
    ///
    /// ```
    /// use stm_runtime::{Finished, prelude::*};
    ///
    /// #[gpu_transaction]
    /// fn deposit(tx: &mut Tx, accounts: &Shared<i64>, to: u32, amount: i64) -> TxResult {
    ///     tx.update(accounts, to, |balance| balance + amount)
    /// }
    ///
    /// # fn main() -> Result<(), Error> {
    /// let device = Device::cpu(1);
    /// let accounts = device.shared(&[0_i64; 4])?;
    /// let mut batch = device.batch();
    /// batch.push(deposit::call(&accounts, 1, 10));
    /// let running = batch.start();
    /// // Here this thread has time for something else.
    /// let Finished { mut batch, report } = running.finish()?;
    /// assert_eq!(report?.committed, 1);
    /// batch.clear(); // and fill it again, in the same memory
    /// # Ok(())
    /// # }
    /// ```
    pub fn start(self) -> Running {
        self.start_with(&RunOptions::new())
    }

    /// Starts a run as [`Batch::start`], with these options. What [`Batch::run_with`] would return as an error at once, the handle does.
    pub fn start_with(self, options: &RunOptions) -> Running {
        let stop = Arc::new(AtomicBool::new(false));
        let due = self.resolve(options).and_then(|mut options| {
            options.stop.handle = Some(stop.clone());
            self.due(options)
        });
        let background = Arc::new(Background { stop, state: Mutex::default(), ended: Condvar::new() });
        let running = Running { background: Some(background.clone()) };
        match due {
            Ok(due) => run_in_background(self, due, background),
            Err(error) => background.end(Finished { batch: self, report: Err(error) }),
        }
        running
    }
}

fn run_in_background(batch: Batch<'static>, due: Due, background: Arc<Background>) {
    // The batch is there for the thread, or for this function where the system refuses the thread.
    let work = Arc::new(Mutex::new(Some((batch, due))));
    let take = |work: &Mutex<Option<_>>| work.lock().unwrap_or_else(PoisonError::into_inner).take();
    let (theirs, end) = (work.clone(), background.clone());
    let started = threads::detach(move || {
        if let Some((batch, due)) = take(&theirs) {
            let report = caught(|| batch.run_due(due));
            end.end(Finished { batch, report });
        }
    });
    if let Err(error) = started
        && let Some((batch, _)) = take(&work)
    {
        background.end(Finished { batch, report: Err(error) });
    }
}

/// Runs a batch, and makes a panic an error.
pub(super) fn caught(run: impl FnOnce() -> Result<Report, Error>) -> Result<Report, Error> {
    // A run changes nothing of its batch.
    catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
        let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
        Err(Error::RunPanicked { message: text.unwrap_or_else(|| "without a message".into()) })
    })
}

/// A run in the background, which [`Batch::start`] starts: a handle to wait for it, and a future.
///
/// Dropping the handle waits for the end of the run, so that nothing is cut off where a program ends; a warning tells of an error of the run,
/// and of transactions that are unresolved or have faulted. Inside of a run (in a progress function, for example), dropping does not wait: the run goes on by itself.
#[must_use = "dropping it waits for the run"]
pub struct Running {
    /// `None` once the batch was taken out.
    background: Option<Arc<Background>>,
}

/// A batch that has run.
#[derive(Debug)]
pub struct Finished {
    /// The batch, to be cleared and filled again, or to be run again.
    pub batch: Batch<'static>,
    /// What [`Batch::run`] would have returned; a panic of the user's code is [`Error::RunPanicked`].
    pub report: Result<Report, Error>,
}

impl Running {
    /// Waits for the end, and returns what [`Batch::run`] would have returned.
    ///
    /// # Errors
    /// Those of [`Batch::run_with`], or a panic of the user's code ([`Error::RunPanicked`]), or the system refuses a thread, or the call
    /// would have to wait and comes from inside a run ([`Error::WaitInside`]).
    pub fn wait(self) -> Result<Report, Error> {
        self.finish()?.report
    }

    /// Waits for the end, and returns the batch, too.
    ///
    /// # Errors
    /// The run has not ended, and the call comes from inside a run ([`Error::WaitInside`]).
    pub fn finish(mut self) -> Result<Finished, Error> {
        self.finished().ok_or(Error::WaitInside)
    }

    /// Returns the batch and its report, if the run has ended.
    ///
    /// # Errors
    /// The run has not ended: the handle comes back.
    pub fn try_wait(mut self) -> Result<Finished, Running> {
        if !self.is_finished() {
            return Err(self);
        }
        self.finished().ok_or(self)
    }

    /// Returns whether the run has ended.
    #[must_use]
    pub fn is_finished(&self) -> bool {
        self.background.as_ref().is_some_and(|background| background.lock().finished.is_some())
    }

    /// Ends the run early. The transactions that are left change nothing; the report lists them as unresolved
    /// ([`UnresolvedReason::Stopped`](crate::UnresolvedReason::Stopped)). A run that still waits for its arrays ends when it has them. A
    /// compilation is not cut off.
    pub fn cancel(&self) {
        if let Some(background) = &self.background {
            background.stop.store(true, Ordering::Relaxed);
        }
    }

    /// Waits, unless the caller is inside a run; takes what is there then.
    fn finished(&mut self) -> Option<Finished> {
        let finished = self.background.as_ref()?.wait()?;
        self.background = None;
        Some(finished)
    }
}

/// Gives the batch and its report. It must not be polled again after that.
impl Future for Running {
    type Output = Finished;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Finished> {
        if let Some(background) = &self.background {
            let mut state = background.lock();
            if state.finished.is_none() {
                state.waker = Some(context.waker().clone());
                return Poll::Pending;
            }
        }
        Poll::Ready(self.finished().expect("a future is not polled after it was ready"))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let line = match self.finished() {
            Some(Finished { report: Err(error), .. }) => format!("a run whose handle was dropped failed: {error}"),
            Some(Finished { report: Ok(report), .. }) if report.unresolved + report.faulted > 0 => format!(
                "a run whose handle was dropped left {} transactions unresolved, and {} have faulted",
                report.unresolved, report.faulted
            ),
            _ => return,
        };
        trace::warning(&line);
    }
}

impl fmt::Debug for Running {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Running").field("is_finished", &self.is_finished()).finish_non_exhaustive()
    }
}

/// What the handle and the thread share.
struct Background {
    /// Ends the run early.
    stop: Arc<AtomicBool>,
    state: Mutex<State>,
    ended: Condvar,
}

#[derive(Default)]
struct State {
    finished: Option<Finished>,
    /// Of the task that polled last.
    waker: Option<Waker>,
}

impl Background {
    fn end(&self, finished: Finished) {
        let mut state = self.lock();
        state.finished = Some(finished);
        let waker = state.waker.take();
        drop(state);
        self.ended.notify_all();
        if let Some(waker) = waker {
            waker.wake();
        }
    }

    /// Waits for the end, unless the caller is inside a run, and takes what the run left.
    fn wait(&self) -> Option<Finished> {
        let mut state = self.lock();
        if !inside::is_inside() {
            state =
                self.ended.wait_while(state, |state| state.finished.is_none()).unwrap_or_else(PoisonError::into_inner);
        }
        state.finished.take()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Nothing of the user runs under the lock, but for the clone of a waker.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
