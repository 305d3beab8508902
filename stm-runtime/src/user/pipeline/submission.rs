//! The tickets of a pipeline. They resolve to outcomes.

use std::fmt;
use std::future::Future;
use std::marker::PhantomData;
use std::ops::Range;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use super::round::Round;
use super::tray::Sheet;
use crate::data::GpuData;
use crate::error::Error;
use crate::outcome::Outcome;
use crate::user::call::Ticket;
use crate::user::columns::Tickets;
use crate::user::report::Report;

/// The ticket of a transaction that was submitted to a [`Pipeline`](crate::Pipeline), and a future of its outcome. `R` is its result.
///
/// It may be dropped: the transaction runs. As long as it is there, so is the report of its batch, with all outcomes.
pub struct Submission<R = ()> {
    sheet: Arc<Sheet>,
    /// Its number there.
    at: usize,
    waker: Option<usize>,
    result: PhantomData<fn() -> R>,
}

impl<R: GpuData> Submission<R> {
    pub(super) fn new(sheet: Arc<Sheet>, at: usize) -> Submission<R> {
        Submission { sheet, at, waker: None, result: PhantomData }
    }

    /// Waits until the batch of the transaction has run, and returns the outcome.
    ///
    /// # Errors
    /// The run of the batch failed, or the call would have to wait and comes from inside a run ([`Error::WaitInside`]).
    pub fn wait(&self) -> Result<Outcome<R>, Error> {
        self.of(self.sheet.round.wait()?)
    }

    /// Returns the outcome, or the error of the run, if the batch has run.
    #[must_use]
    pub fn try_wait(&self) -> Option<Result<Outcome<R>, Error>> {
        self.sheet.round.get().map(|end| self.of(end))
    }

    /// Returns the report of the whole batch, once it has run without an error.
    #[must_use]
    pub fn report(&self) -> Option<&Report> {
        self.sheet.round.get()?.as_ref().ok()
    }

    /// Returns the ticket, for [`Submission::report`].
    #[must_use]
    pub fn ticket(&self) -> Ticket<R> {
        // One that is in no batch has the ticket of none.
        Ticket::new(self.sheet.batch, self.sheet.transaction(self.at).unwrap_or(usize::MAX))
    }

    fn of(&self, end: &Result<Report, Error>) -> Result<Outcome<R>, Error> {
        let report = end.as_ref().map_err(Clone::clone)?;
        Ok(report.outcome(Ticket::new(self.sheet.batch, self.sheet.transaction(self.at)?)))
    }
}

impl<R: GpuData> Future for Submission<R> {
    type Output = Result<Outcome<R>, Error>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let Submission { sheet, waker, .. } = &mut *self;
        if sheet.round.poll(waker, context).is_none() {
            return Poll::Pending;
        }
        Poll::Ready(self.wait())
    }
}

impl<R> fmt::Debug for Submission<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (at, state) = (self.at, state(&self.sheet.round));
        match self.sheet.first.get() {
            Some(Ok(first)) => write!(f, "Submission(Ticket({}), {state})", first + at),
            _ => write!(f, "Submission({state})"),
        }
    }
}

/// The tickets of transactions that were submitted to a [`Pipeline`](crate::Pipeline) together, and a future. All are in one batch.
pub struct Submissions<R = ()> {
    round: Arc<Round>,
    tickets: Tickets<R>,
    waker: Option<usize>,
}

impl<R: GpuData> Submissions<R> {
    pub(super) fn new(round: Arc<Round>, tickets: Tickets<R>) -> Submissions<R> {
        Submissions { round, tickets, waker: None }
    }

    /// Returns how many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.tickets.len()
    }

    /// Returns whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.tickets.is_empty()
    }

    /// Returns the ticket of one of them.
    #[must_use]
    pub fn get(&self, index: usize) -> Option<Submission<R>> {
        let Range { start, .. } = self.tickets.transactions();
        let sheet = || Sheet::of(self.round.clone(), self.tickets.batch(), start);
        (index < self.len()).then(|| Submission::new(Arc::new(sheet()), index))
    }

    /// Returns their tickets in the report of the batch.
    #[must_use]
    pub fn tickets(&self) -> &Tickets<R> {
        &self.tickets
    }

    /// Waits until their batch has run, and returns the report of the whole batch. `report.results(submissions.tickets())` are their
    /// results.
    ///
    /// # Errors
    /// As [`Submission::wait`].
    pub fn wait(&self) -> Result<&Report, Error> {
        self.round.wait()?.as_ref().map_err(Clone::clone)
    }

    /// Returns the report of the whole batch, or the error of its run, if it has run.
    #[must_use]
    pub fn try_wait(&self) -> Option<Result<&Report, Error>> {
        self.round.get().map(|end| end.as_ref().map_err(Clone::clone))
    }
}

/// Gives the tickets back once their batch has run: [`Submissions::wait`] returns at once then. Gives the error of a run that failed.
impl<R: GpuData> Future for Submissions<R> {
    type Output = Result<Submissions<R>, Error>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let Submissions { round, waker, .. } = &mut *self;
        match round.poll(waker, context) {
            Some(Ok(_)) => Poll::Ready(Ok(Submissions::new(self.round.clone(), self.tickets.clone()))),
            Some(Err(error)) => Poll::Ready(Err(error.clone())),
            None => Poll::Pending,
        }
    }
}

impl<R> fmt::Debug for Submissions<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Submissions({:?}, {})", self.tickets, state(&self.round))
    }
}

fn state(round: &Round) -> &'static str {
    match round.get() {
        None => "not yet run",
        Some(Ok(_)) => "run",
        Some(Err(_)) => "failed",
    }
}
