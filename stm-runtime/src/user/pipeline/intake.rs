//! Takes the transactions of a pipeline in, and adds them to the batch that fills. One lock guards that batch.

use std::mem;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::round::Round;
use super::totals::Totals;
use crate::error::Error;
use crate::inside;
use crate::user::batch::Batch;
use crate::user::report::Report;

/// The intake of a pipeline.
pub(super) struct Intake {
    max_transactions: usize,
    max_delay: Duration,
    state: Mutex<State>,
    /// The thread that runs the batches waits here.
    due: Condvar,
    /// Threads that submit wait here for room, and those that close for the end.
    moved: Condvar,
}

/// What the lock guards.
pub(super) struct State {
    /// The batch that fills.
    batch: Batch<'static>,
    round: Arc<Round>,
    /// When its first transaction came.
    since: Option<Instant>,
    /// Whether it is to run, whatever its size.
    is_wanted: bool,
    /// The round of the batch that runs.
    running: Option<Arc<Round>>,
    totals: Totals,
    pub(super) is_closed: bool,
    has_ended: bool,
    /// How many lists wait for room. Single transactions wait too then: each needs so little room that otherwise a list could wait forever.
    lists: usize,
    /// Whether a thread waits at `moved`. A notification is a system call, so it is left out where no thread waits.
    is_awaited: bool,
    /// Whether the thread that runs the batches waits at `due`.
    is_idle: bool,
}

/// Why no transaction is taken at the moment.
pub(super) enum Refusal {
    Full,
    Closed,
}

impl Intake {
    pub(super) fn new(batch: Batch<'static>, max_transactions: usize, max_delay: Duration) -> Intake {
        let state = State {
            batch,
            round: Arc::default(),
            since: None,
            is_wanted: false,
            running: None,
            totals: Totals::default(),
            is_closed: false,
            has_ended: false,
            lists: 0,
            is_awaited: false,
            is_idle: false,
        };
        let (due, moved) = (Condvar::new(), Condvar::new());
        Intake { max_transactions, max_delay, state: Mutex::new(state), due, moved }
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, State> {
        // Nothing of the user runs under the lock.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the state, if there is room for a transaction.
    pub(super) fn try_enter(&self) -> Result<MutexGuard<'_, State>, Refusal> {
        let state = self.lock();
        match (state.is_closed, self.has_room(&state)) {
            (true, _) => Err(Refusal::Closed),
            (false, false) => Err(Refusal::Full),
            (false, true) => Ok(state),
        }
    }

    /// Waits for room for a transaction.
    pub(super) fn enter(&self) -> Result<MutexGuard<'_, State>, Error> {
        self.enter_when(0, |state| self.has_room(state))
    }

    /// Waits for room for a list. One that is longer than a full batch has a batch to itself.
    pub(super) fn enter_with(&self, rows: usize) -> Result<MutexGuard<'_, State>, Error> {
        self.enter_when(1, |state| {
            state.batch.is_empty() || state.batch.len().saturating_add(rows) <= self.max_transactions
        })
    }

    fn has_room(&self, state: &State) -> bool {
        state.batch.len() < self.max_transactions && state.lists == 0
    }

    fn enter_when(&self, lists: usize, has_room: impl Fn(&State) -> bool) -> Result<MutexGuard<'_, State>, Error> {
        let mut state = self.lock();
        if !state.is_closed && !has_room(&state) {
            if inside::is_inside() {
                return Err(Error::WaitInside);
            }
            state.lists += lists;
            while !state.is_closed && !has_room(&state) {
                self.want(&mut state);
                state = self.wait(state);
            }
            state.lists -= lists;
            if state.lists == 0 {
                self.notify(&mut state);
            }
        }
        if state.is_closed { Err(Error::PipelineClosed) } else { Ok(state) }
    }

    /// Adds to the batch that fills. Returns what was added, with its round.
    pub(super) fn add<T>(
        &self,
        mut state: MutexGuard<'_, State>,
        push: impl FnOnce(&mut Batch<'static>) -> Result<T, Error>,
    ) -> Result<(Arc<Round>, T), Error> {
        let tickets = push(&mut state.batch)?;
        let is_first = state.since.is_none();
        if is_first {
            state.since = Some(Instant::now());
        }
        if is_first || state.batch.len() >= self.max_transactions {
            self.wake(&mut state);
        }
        Ok((state.round.clone(), tickets))
    }

    /// Gives the batch that fills, once it is due, and fills the other one from then on; `None` at the end.
    pub(super) fn next(&self, other: Batch<'static>) -> Option<(Batch<'static>, Arc<Round>)> {
        let mut state = self.lock();
        loop {
            let must_run = state.is_closed || state.is_wanted || state.batch.len() >= self.max_transactions;
            let rest = state.since.map(|since| self.max_delay.saturating_sub(since.elapsed()));
            match rest {
                None if state.is_closed => return None,
                Some(rest) if must_run || rest.is_zero() => break,
                _ => {}
            }
            state.is_idle = true;
            state = match rest {
                None => self.due.wait(state).unwrap_or_else(PoisonError::into_inner),
                Some(rest) => self.due.wait_timeout(state, rest).unwrap_or_else(PoisonError::into_inner).0,
            };
            state.is_idle = false;
        }
        let (batch, round) = (mem::replace(&mut state.batch, other), mem::take(&mut state.round));
        (state.since, state.is_wanted, state.running) = (None, false, Some(round.clone()));
        self.notify(&mut state);
        Some((batch, round))
    }

    /// Counts a batch that has run, and ends its round.
    pub(super) fn ended(&self, transactions: usize, round: &Round, end: Result<Report, Error>) {
        self.lock().totals.add(transactions, &end);
        round.end(end);
        // Not before: who flushes waits for this round.
        self.lock().running = None;
    }

    /// Waits until all that was submitted has run.
    pub(super) fn flush(&self) -> Result<Totals, Error> {
        let mut state = self.lock();
        let round = if state.since.is_some() {
            self.want(&mut state);
            Some(state.round.clone())
        } else {
            state.running.clone()
        };
        drop(state);
        if let Some(round) = round {
            let _ = round.wait()?;
        }
        Ok(self.totals())
    }

    /// Takes no more transactions, and waits for the end.
    pub(super) fn close(&self) -> Result<Totals, Error> {
        let mut state = self.lock();
        state.is_closed = true;
        self.wake(&mut state);
        self.notify(&mut state);
        while !state.has_ended {
            if inside::is_inside() {
                return Err(Error::WaitInside);
            }
            state = self.wait(state);
        }
        Ok(state.totals.clone())
    }

    pub(super) fn totals(&self) -> Totals {
        self.lock().totals.clone()
    }

    /// Says that no batch runs any more. Tickets that are left, after a panic of the thread, fail.
    pub(super) fn end(&self) {
        let mut state = self.lock();
        (state.is_closed, state.has_ended) = (true, true);
        let left = [Some(state.round.clone()), state.running.take()];
        self.notify(&mut state);
        drop(state);
        left.into_iter().flatten().for_each(|round| round.end(Err(Error::PipelineClosed)));
    }

    /// Has the batch that fills run soon.
    fn want(&self, state: &mut State) {
        state.is_wanted |= state.since.is_some();
        self.wake(state);
    }

    fn wake(&self, state: &mut State) {
        if mem::take(&mut state.is_idle) {
            self.due.notify_one();
        }
    }

    fn wait<'s>(&self, mut state: MutexGuard<'s, State>) -> MutexGuard<'s, State> {
        state.is_awaited = true;
        self.moved.wait(state).unwrap_or_else(PoisonError::into_inner)
    }

    fn notify(&self, state: &mut State) {
        if mem::take(&mut state.is_awaited) {
            self.moved.notify_all();
        }
    }
}
