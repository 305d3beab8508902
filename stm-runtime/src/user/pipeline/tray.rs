//! Calls of one thread on their way into a batch. A pipeline has several trays, so that threads which submit call by call meet at its lock
//! only once for many calls.

use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};

use super::parcel::Parcel;
use super::round::Round;
use crate::backend::Array;
use crate::columns::Column;
use crate::device_cells::NotAdded;
use crate::error::Error;
use crate::procedure::Procedure;
use crate::user::call::Call;

/// The most calls on a tray.
pub(super) const MOST_CALLS: usize = if cfg!(test) { 4 } else { 64 };

/// The trays of a pipeline. A thread that holds the lock of the pipeline may lock a tray, and never the other way round.
pub(super) struct Trays(Vec<Tray>);

/// One tray, on a cache line of its own.
#[repr(align(128))]
#[derive(Default)]
pub(super) struct Tray(Mutex<Option<Calls>>);

/// What the tickets of the calls of a tray share.
pub(super) struct Sheet {
    pub(super) round: Arc<Round>,
    /// The number of the batch.
    pub(super) batch: u64,
    /// The transaction of the first call, once they are in the batch; or why they are not.
    pub(super) first: OnceLock<Result<usize, Error>>,
    /// Puts them there.
    pub(super) intake: Option<Weak<dyn Emptying>>,
}

/// What puts the calls of all trays into the batch.
pub(super) trait Emptying: Send + Sync {
    fn empty_trays(&self);
}

/// Calls of one procedure on the same arrays, for the batch that fills.
pub(super) struct Calls {
    pub(super) procedure: &'static Procedure,
    /// Those arrays, by their identities: the batch holds them.
    pub(super) arrays: Vec<u64>,
    pub(super) parcel: Parcel,
    /// The transactions that the batch has room for.
    pub(super) room: usize,
    pub(super) sheet: Arc<Sheet>,
}

/// A call that was put on a tray: the sheet of its ticket, and its number there.
pub(super) struct Put {
    pub(super) sheet: Arc<Sheet>,
    pub(super) at: usize,
    /// Whether the tray is full.
    pub(super) fills: bool,
}

impl Trays {
    /// Returns that many trays.
    pub(super) fn new(count: usize) -> Trays {
        Trays((0..count.max(1)).map(|_| Tray::default()).collect())
    }

    /// Returns the tray of this thread.
    #[inline]
    pub(super) fn own(&self) -> &Tray {
        static THREADS: AtomicUsize = AtomicUsize::new(0);
        thread_local! {
            static NUMBER: Cell<Option<usize>> = const { Cell::new(None) };
        }
        let number = NUMBER.get().unwrap_or_else(|| THREADS.fetch_add(1, Ordering::Relaxed));
        NUMBER.set(Some(number));
        &self.0[number % self.0.len()]
    }

    /// Returns whether all threads have the same tray.
    pub(super) fn is_one(&self) -> bool {
        self.0.len() == 1
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Tray> {
        self.0.iter()
    }
}

impl Sheet {
    /// Returns the sheet of transactions that are in a batch, from this one on.
    pub(super) fn of(round: Arc<Round>, batch: u64, first: usize) -> Sheet {
        Sheet { round, batch, first: Ok(first).into(), intake: None }
    }

    /// Returns the index of a transaction in its batch.
    pub(super) fn transaction(&self, at: usize) -> Result<usize, Error> {
        if self.first.get().is_none() {
            let intake = self.intake.as_ref().and_then(Weak::upgrade);
            intake.iter().for_each(|intake| intake.empty_trays());
        }
        let first = self.first.get().cloned().unwrap_or(Err(Error::PipelineClosed));
        first.map(|first| first + at)
    }
}

impl Tray {
    #[inline]
    pub(super) fn lock(&self) -> MutexGuard<'_, Option<Calls>> {
        // Nothing of the user runs under the lock, and calls are whole before they are counted.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Calls {
    /// Puts a call beside the others, if it has the same procedure and arrays, and there is room for it.
    #[inline]
    pub(super) fn put<R, const ARRAYS: usize, const VALUES: usize>(
        &mut self,
        call: &Call<'_, R, ARRAYS, VALUES>,
    ) -> Result<Option<Put>, Error> {
        if self.parcel.rows >= self.room || !self.are_of(call.procedure, &call.arrays) || call.parts_differ.is_some() {
            return Ok(None);
        }
        let at = self.parcel.rows;
        if let Err(short) = self.push(&call.words) {
            self.parcel.columns.iter_mut().for_each(|column| column.truncate(at));
            return Err(short.into());
        }
        self.parcel.rows += 1;
        Ok(Some(Put { sheet: self.sheet.clone(), at, fills: self.parcel.rows == self.room }))
    }

    fn push<const VALUES: usize>(&mut self, words: &[u64; VALUES]) -> Result<(), NotAdded> {
        let columns: &mut [Column<'static>] = &mut self.parcel.columns;
        columns.iter_mut().zip(words).try_for_each(|(column, word)| column.push(*word))
    }

    fn are_of<const ARRAYS: usize>(&self, procedure: &'static Procedure, arrays: &[&Array; ARRAYS]) -> bool {
        std::ptr::eq(self.procedure, procedure)
            && <&[u64; ARRAYS]>::try_from(&self.arrays[..])
                .is_ok_and(|known| (0..ARRAYS).all(|at| known[at] == arrays[at].identity()))
    }
}
