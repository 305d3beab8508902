//! Takes the transactions of a pipeline in. One lock guards which transactions the batch that fills has; threads write their arguments
//! without it: see `parcel.rs` and `tray.rs`.

use std::collections::VecDeque;
use std::mem;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::time::{Duration, Instant};

use super::parcel::{FillingBatch, KeptColumns, Parcel};
use super::round::Round;
use super::totals::Totals;
use super::tray::{Calls, Emptying, MOST_CALLS, Put, Sheet, Tray, Trays};
use crate::backend::Device;
use crate::columns::Column;
use crate::data::GpuData;
use crate::error::Error;
use crate::inside;
use crate::user::call::Call;
use crate::user::columns::{Columns, Tickets};
use crate::user::report::Report;
use crate::user::specializations;

/// The intake of a pipeline.
pub(super) struct Intake {
    max_transactions: usize,
    max_delay: Duration,
    state: Mutex<State>,
    trays: Trays,
    pub(super) kept: KeptColumns,
    /// The thread that takes the next batch out waits here.
    due: Condvar,
    /// Threads that submit wait here for room, and those that close for the end.
    moved: Condvar,
}

/// What the lock guards.
pub(super) struct State {
    filling: FillingBatch,
    /// Transactions that it has room for no more: its own, and those that trays have room for.
    taken: usize,
    round: Arc<Round>,
    /// When its first transaction came.
    since: Option<Instant>,
    /// Whether it is to run, whatever its size.
    is_wanted: bool,
    /// The rounds of the batches that were taken out and have not ended, the oldest first.
    under_way: VecDeque<Arc<Round>>,
    totals: Totals,
    is_closed: bool,
    /// Whether the user closed it, who has the totals then.
    pub(super) was_closed: bool,
    /// Whether the handle was dropped without being closed.
    is_dropped: bool,
    /// The threads that run batches.
    workers: usize,
    /// How many lists wait for room. Single transactions wait too then: each needs so little room that otherwise a list could wait forever.
    lists: usize,
    /// Whether a thread waits at `moved`. A notification is a system call, so it is left out where no thread waits.
    is_awaited: bool,
    /// Whether a thread waits at `due`.
    is_idle: bool,
}

impl Emptying for Intake {
    fn empty_trays(&self) {
        self.empty_all(&mut self.lock());
    }
}

/// Why a transaction was not taken at once.
pub(super) enum Refusal {
    Full,
    Error(Error),
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Refusal {
        Refusal::Error(error)
    }
}

impl Intake {
    /// Returns an intake that fills this batch, with these numbers of trays and of threads that run batches.
    pub(super) fn new(
        filling: FillingBatch,
        max_transactions: usize,
        max_delay: Duration,
        trays: usize,
        workers: usize,
    ) -> Intake {
        let state = State {
            filling,
            taken: 0,
            round: Arc::default(),
            since: None,
            is_wanted: false,
            under_way: VecDeque::new(),
            totals: Totals::default(),
            is_closed: false,
            was_closed: false,
            is_dropped: false,
            workers,
            lists: 0,
            is_awaited: false,
            is_idle: false,
        };
        Intake {
            max_transactions,
            max_delay,
            state: Mutex::new(state),
            trays: Trays::new(trays),
            kept: KeptColumns::default(),
            due: Condvar::new(),
            moved: Condvar::new(),
        }
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, State> {
        // Nothing of the user runs under the lock.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a call. Where there is no room, waits for it if the caller does.
    pub(super) fn take<R: GpuData, const ARRAYS: usize, const VALUES: usize>(
        self: &Arc<Intake>,
        call: &Call<'_, R, ARRAYS, VALUES>,
        waits: bool,
    ) -> Result<Put, Refusal> {
        let tray = self.trays.own();
        let put = tray.lock().as_mut().map_or(Ok(None), |calls| calls.put(call))?;
        if let Some(put) = put {
            if put.fills {
                let mut state = self.lock();
                self.empty(&mut state, tray);
            }
            return Ok(put);
        }
        let mut state = self.enter(call, waits)?;
        self.put_on(&mut state, tray, call)
    }

    /// Waits for room for a call, if the caller waits.
    fn enter<R: GpuData, const ARRAYS: usize, const VALUES: usize>(
        &self,
        call: &Call<'_, R, ARRAYS, VALUES>,
        waits: bool,
    ) -> Result<MutexGuard<'_, State>, Refusal> {
        let mut state = self.lock();
        if state.is_closed {
            return Err(Error::PipelineClosed.into());
        }
        if let Some((which, parts)) = call.parts_differ {
            let transaction = state.filling.len();
            return Err(specializations::parts_differ(transaction, call.procedure, which, parts).into());
        }
        if self.has_room(&mut state, |state| self.has_room_for_one(state)) {
            return Ok(state);
        }
        if !waits {
            return Err(Refusal::Full);
        }
        Ok(self.wait_for_room(state, 0, |state| self.has_room_for_one(state))?)
    }

    /// Puts a call on a tray, and the calls that are in its way into the batch. There is room for it.
    fn put_on<R: GpuData, const ARRAYS: usize, const VALUES: usize>(
        self: &Arc<Intake>,
        state: &mut State,
        tray: &Tray,
        call: &Call<'_, R, ARRAYS, VALUES>,
    ) -> Result<Put, Refusal> {
        let mut on_tray = tray.lock();
        let known = on_tray.as_mut().map_or(Ok(None), |calls| calls.put(call))?;
        let put = match known {
            Some(put) => put,
            None => {
                self.add_calls(state, on_tray.take());
                let specialization = state.filling.specialization(call.procedure, &call.arrays)?;
                let columns = self.kept.take(call.procedure.compiled()?);
                let room = MOST_CALLS.min(self.max_transactions.saturating_sub(state.taken)).max(1);
                let calls = on_tray.insert(Calls {
                    procedure: call.procedure,
                    arrays: call.arrays.iter().map(|array| array.identity()).collect(),
                    parcel: Parcel { specialization, columns, rows: 0 },
                    room,
                    sheet: Arc::new(Sheet {
                        round: state.round.clone(),
                        batch: state.filling.id(),
                        first: OnceLock::new(),
                        intake: Some(Arc::downgrade(self) as Weak<dyn Emptying>),
                    }),
                });
                state.taken += room;
                match calls.put(call) {
                    Ok(Some(put)) => put,
                    nothing => {
                        state.taken -= room;
                        *on_tray = None;
                        return Err(nothing.err().unwrap_or(Error::PipelineClosed).into());
                    }
                }
            }
        };
        if put.fills {
            self.add_calls(state, on_tray.take());
        }
        drop(on_tray);
        self.arrived(state);
        Ok(put)
    }

    /// Takes lists, and waits for room for them. A list that is longer than a full batch has a batch to itself.
    pub(super) fn take_columns<R: GpuData, const ARRAYS: usize>(
        &self,
        device: &Device,
        columns: Columns<'_, '_, R, ARRAYS>,
    ) -> Result<(Arc<Round>, Tickets<R>), Error> {
        let (procedure, arrays, rows) = (columns.procedure, columns.arrays, columns.count(device)?);
        let parts_differ = columns.parts_differ();
        let mut own = Vec::new();
        if rows > 0 && parts_differ.is_none() {
            own = self.kept.take(procedure.compiled()?);
            columns.add_to(&mut own, Column::copy)?;
        }
        let fits = |state: &State| state.taken == 0 || state.taken.saturating_add(rows) <= self.max_transactions;
        let mut state = self.lock();
        if !self.has_room(&mut state, fits) || state.is_closed {
            state = self.wait_for_room(state, 1, fits)?;
        }
        if self.trays.is_one() {
            // In push order, calls that came before have to be in the batch before.
            self.empty_all(&mut state);
        }
        let first = state.filling.len();
        if let Some((which, at, parts)) = parts_differ {
            return Err(specializations::parts_differ(first + at, procedure, which, parts));
        }
        let mut transactions = first..first;
        if rows > 0 {
            let specialization = state.filling.specialization(procedure, &arrays)?;
            transactions = state.filling.add(Parcel { specialization, columns: own, rows })?;
            state.taken += rows;
        }
        self.arrived(&mut state);
        Ok((state.round.clone(), Tickets::new(state.filling.id(), transactions)))
    }

    /// Returns whether there is room. Room that trays have and do not need is given to others.
    fn has_room(&self, state: &mut State, has_room: impl Fn(&State) -> bool) -> bool {
        if !has_room(state) {
            self.empty_all(state);
        }
        has_room(state)
    }

    fn has_room_for_one(&self, state: &State) -> bool {
        state.taken < self.max_transactions && state.lists == 0
    }

    fn wait_for_room<'s>(
        &'s self,
        mut state: MutexGuard<'s, State>,
        lists: usize,
        has_room: impl Fn(&State) -> bool,
    ) -> Result<MutexGuard<'s, State>, Error> {
        if !state.is_closed && inside::is_inside() {
            return Err(Error::WaitInside);
        }
        state.lists += lists;
        while !state.is_closed && !self.has_room(&mut state, &has_room) {
            self.want(&mut state);
            state = self.wait(state);
        }
        state.lists -= lists;
        if state.lists == 0 {
            self.notify(&mut state);
        }
        if state.is_closed { Err(Error::PipelineClosed) } else { Ok(state) }
    }

    /// Notes that transactions came.
    fn arrived(&self, state: &mut State) {
        let is_first = state.since.is_none();
        if is_first {
            state.since = Some(Instant::now());
        }
        if is_first || state.filling.len() >= self.max_transactions {
            self.wake(state);
        }
    }

    /// Puts the calls of a tray into the batch.
    fn empty(&self, state: &mut State, tray: &Tray) {
        self.add_calls(state, tray.lock().take());
        if state.filling.len() >= self.max_transactions {
            self.wake(state);
        }
    }

    /// Puts the calls of all trays into the batch.
    fn empty_all(&self, state: &mut State) {
        self.trays.iter().for_each(|tray| self.empty(state, tray));
    }

    fn add_calls(&self, state: &mut State, calls: Option<Calls>) {
        let Some(Calls { parcel, room, sheet, .. }) = calls else { return };
        let rows = parcel.rows;
        state.taken -= room;
        match state.filling.add(parcel) {
            Ok(transactions) => {
                state.taken += rows;
                let _ = sheet.first.set(Ok(transactions.start));
            }
            Err(error) => {
                // They are in no batch, and their tickets say so.
                let _ = sheet.first.set(Err(error.clone()));
                state.totals.lose(rows, &error);
            }
        }
    }

    /// Gives the batch that fills, once it is due, and fills the other one from then on; `None` at the end.
    pub(super) fn next(&self, other: FillingBatch) -> Option<(FillingBatch, Arc<Round>)> {
        let mut state = self.lock();
        loop {
            let must_run = state.is_closed || state.is_wanted || state.filling.len() >= self.max_transactions;
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
        self.empty_all(&mut state);
        let (filling, round) = (mem::replace(&mut state.filling, other), mem::take(&mut state.round));
        (state.since, state.is_wanted, state.taken) = (None, false, 0);
        state.under_way.push_back(round.clone());
        self.notify(&mut state);
        Some((filling, round))
    }

    /// Counts a batch that has run, and ends its round.
    pub(super) fn ended(&self, transactions: usize, round: &Arc<Round>, end: Result<Report, Error>) {
        self.lock().totals.add(transactions, &end);
        round.end(end);
        // Not before: who flushes waits for this round.
        self.lock().under_way.retain(|other| !Arc::ptr_eq(other, round));
    }

    /// Waits until all that was submitted has run.
    pub(super) fn flush(&self) -> Result<Totals, Error> {
        let mut state = self.lock();
        let filling = state.since.map(|_| state.round.clone());
        self.want(&mut state);
        let rounds: Vec<Arc<Round>> = state.under_way.iter().cloned().chain(filling).collect();
        drop(state);
        for round in rounds {
            let _ = round.wait()?;
        }
        Ok(self.totals())
    }

    /// Takes no more transactions, and waits for the end.
    pub(super) fn close(&self) -> Result<Totals, Error> {
        let mut state = self.lock();
        // What is on trays was taken. Nothing comes after it, since trays have no room then.
        self.empty_all(&mut state);
        (state.is_closed, state.was_closed) = (true, true);
        self.wake(&mut state);
        self.notify(&mut state);
        while state.workers > 0 {
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

    /// Says that a thread runs no more batches. Tickets that are left, after a panic of the thread, fail, and are counted.
    pub(super) fn leave(&self, running: Option<(Arc<Round>, usize)>) {
        let mut state = self.lock();
        self.empty_all(&mut state);
        state.is_closed = true;
        state.workers -= 1;
        let left = (state.workers == 0).then(|| (state.round.clone(), state.filling.len()));
        let lost: Vec<(Arc<Round>, usize)> = running.into_iter().chain(left).collect();
        for (_, transactions) in lost.iter().filter(|(_, transactions)| *transactions > 0) {
            state.totals.lose(*transactions, &Error::PipelineClosed);
        }
        state.under_way.retain(|round| !lost.iter().any(|(lost, _)| Arc::ptr_eq(lost, round)));
        let told = (state.workers == 0 && state.is_dropped).then(|| state.totals.clone());
        self.wake(&mut state);
        self.notify(&mut state);
        drop(state);
        lost.iter().for_each(|(round, _)| round.end(Err(Error::PipelineClosed)));
        told.iter().for_each(Totals::tell);
    }

    /// Notes that the handle was dropped. If no thread runs batches any more, this warns of what failed; otherwise the last thread does
    /// when it ends.
    pub(super) fn drop_handle(&self) {
        let mut state = self.lock();
        state.is_dropped = true;
        let told = (state.workers == 0).then(|| state.totals.clone());
        drop(state);
        told.iter().for_each(Totals::tell);
    }

    /// Says that this number of threads could not be started.
    pub(super) fn leave_unstarted(&self, workers: usize) {
        self.lock().workers -= workers;
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
