//! Filling a batch by several threads, from a parallel iterator of rayon.

mod joining;
mod open_columns;
mod part;
#[cfg(all(test, not(loom)))]
mod tests;

use std::cell::Cell;
use std::ops::Range;

use rayon::iter::plumbing::{Consumer, Folder, Reducer, UnindexedConsumer};
use rayon::iter::{IntoParallelIterator, ParallelExtend, ParallelIterator};

use self::open_columns::{ColumnWriter, OpenColumns};
use self::part::Part;
use super::batch::Batch;
use super::call::Call;
use crate::data::GpuData;

/// The calls of a part that is written to its place: they stay in the fastest memory of a core.
const SMALL: usize = if cfg!(test) { 1 << 3 } else { 1 << 11 };
/// The calls of a part that waits until its place is known.
const LARGE: usize = if cfg!(test) { 1 << 4 } else { 1 << 15 };

/// Adds the transactions of a parallel iterator in its order, as [`Batch::push`] would one after the other. Where the
/// iterator knows its length, each thread writes the arguments to their places; otherwise several threads copy them there in the end.
///
/// ```
/// use rayon::prelude::*;
/// use stm_runtime::prelude::*;
///
/// #[gpu_transaction]
/// fn deposit(tx: &mut Tx, accounts: &Shared<i64>, at: u32, amount: i64) -> TxResult {
///     tx.update(accounts, at, |balance| balance + amount)
/// }
///
/// # fn main() -> Result<(), Error> {
/// let device = Device::cpu(2);
/// let accounts = device.shared(&[0_i64; 100])?;
/// let mut batch = device.batch();
/// batch.par_extend((0..1000_u32).into_par_iter().map(|k| deposit::call(&accounts, k % 100, i64::from(k))));
/// assert_eq!(batch.run()?.committed, 1000);
/// # Ok(())
/// # }
/// ```
impl<'stm, R: GpuData, const ARRAYS: usize, const VALUES: usize> ParallelExtend<Call<'stm, R, ARRAYS, VALUES>>
    for Batch<'_>
{
    fn par_extend<I: IntoParallelIterator<Item = Call<'stm, R, ARRAYS, VALUES>>>(&mut self, calls: I) {
        let calls = calls.into_par_iter();
        let mut columns = OpenColumns::new(self);
        let count = calls.opt_len().unwrap_or(0);
        let writer = ColumnWriter::new(&mut columns, count);
        let parts = calls.drive_unindexed(Filling { writer: &writer, known: Cell::new(0..count) });
        drop(writer);
        columns.join(&parts);
        // To give memory back takes time, too.
        parts.into_par_iter().for_each(drop);
    }
}

/// Calls that one thread will add.
struct Filling<'f, 't> {
    writer: &'f ColumnWriter<'t>,
    /// The places of the calls, as far as they are known.
    known: Cell<Range<usize>>,
}

impl<'f, 't> Filling<'f, 't> {
    fn with(&self, known: Range<usize>) -> Self {
        Filling { writer: self.writer, known: Cell::new(known) }
    }
}

impl<'f, 't, 'stm, R: GpuData, const ARRAYS: usize, const VALUES: usize> Consumer<Call<'stm, R, ARRAYS, VALUES>>
    for Filling<'f, 't>
{
    type Folder = Box<Filler<'f, 't, 'stm, ARRAYS, VALUES>>;
    type Reducer = Joining;
    type Result = Vec<Part<'stm, ARRAYS, VALUES>>;

    fn split_at(self, index: usize) -> (Self, Self, Joining) {
        let known = self.known.take();
        let middle = known.end.min(known.start.saturating_add(index));
        (self.with(known.start..middle), self.with(middle..known.end), Joining)
    }

    fn into_folder(self) -> Self::Folder {
        let part = Part::new(Vec::new(), 0);
        Box::new(Filler { writer: self.writer, known: self.known.take(), part, parts: Vec::new() })
    }

    fn full(&self) -> bool {
        false
    }
}

impl<'stm, R: GpuData, const ARRAYS: usize, const VALUES: usize> UnindexedConsumer<Call<'stm, R, ARRAYS, VALUES>>
    for Filling<'_, '_>
{
    fn split_off_left(&self) -> Self {
        // How many calls come before the others is not known, whatever the iterator has said.
        self.known.take();
        self.with(0..0)
    }

    fn to_reducer(&self) -> Joining {
        Joining
    }
}

/// One thread while it adds calls.
// In a box, because adapters of rayon move it with each call.
struct Filler<'f, 't, 'stm, const ARRAYS: usize, const VALUES: usize> {
    writer: &'f ColumnWriter<'t>,
    /// The places of the next calls, as far as they are known.
    known: Range<usize>,
    part: Part<'stm, ARRAYS, VALUES>,
    /// What comes before that part.
    parts: Vec<Part<'stm, ARRAYS, VALUES>>,
}

impl<'stm, const ARRAYS: usize, const VALUES: usize> Filler<'_, '_, 'stm, ARRAYS, VALUES> {
    #[inline(always)]
    fn add<R>(&mut self, call: Call<'stm, R, ARRAYS, VALUES>) {
        if self.part.rows.len() < self.part.room || self.make_room() {
            self.part.push(call);
        }
    }

    /// Makes room for a call. Returns false where memory is short.
    #[cold]
    #[inline(never)]
    fn make_room(&mut self) -> bool {
        if self.part.room > 0 && self.place() {
            return true;
        }
        if self.part.room >= LARGE {
            self.keep();
        }
        let is_small = self.part.room == 0 && self.parts.last().is_none_or(|last| last.place.is_some());
        let room = if is_small { SMALL } else { LARGE };
        // No more than the iterator will need, as far as it said.
        self.part.reserve(if self.part.room == 0 && !self.known.is_empty() { room.min(self.known.len()) } else { room })
    }

    /// Writes the calls to their places, and begins another part in the same memory. Returns false where they have no places.
    fn place(&mut self) -> bool {
        let calls = self.part.rows.len();
        if calls > self.known.len() || !self.writer.write(self.known.start, &self.part) {
            return false;
        }
        let (mut rows, room) = (std::mem::take(&mut self.part.rows), self.part.room);
        rows.clear();
        self.part.place = Some(self.known.start);
        self.part.calls = calls;
        self.begin(Part::new(rows, room));
        true
    }

    /// Lets the calls wait, and begins another part.
    fn keep(&mut self) {
        self.part.calls += self.part.rows.len();
        self.begin(Part::new(Vec::new(), 0));
    }

    fn begin(&mut self, next: Part<'stm, ARRAYS, VALUES>) {
        let mut done = std::mem::replace(&mut self.part, next);
        done.count();
        self.known.start = self.known.end.min(self.known.start + done.calls);
        let rest = if let Some(last) = self.parts.last_mut() { last.join(done) } else { Some(done) };
        self.parts.extend(rest);
    }
}

impl<'stm, R: GpuData, const ARRAYS: usize, const VALUES: usize> Folder<Call<'stm, R, ARRAYS, VALUES>>
    for Box<Filler<'_, '_, 'stm, ARRAYS, VALUES>>
{
    type Result = Vec<Part<'stm, ARRAYS, VALUES>>;

    #[inline]
    fn consume(mut self, call: Call<'stm, R, ARRAYS, VALUES>) -> Self {
        self.add(call);
        self
    }

    #[inline]
    fn consume_iter<I: IntoIterator<Item = Call<'stm, R, ARRAYS, VALUES>>>(mut self, calls: I) -> Self {
        let filler = &mut *self;
        calls.into_iter().for_each(|call| filler.add(call));
        self
    }

    fn complete(mut self) -> Self::Result {
        if self.part.rows.len() + self.part.calls > 0 && !self.place() {
            self.keep();
        }
        self.parts
    }

    fn full(&self) -> bool {
        false
    }
}

/// Puts what two threads have added one after the other.
struct Joining;

impl<T> Reducer<Vec<T>> for Joining {
    fn reduce(self, mut left: Vec<T>, right: Vec<T>) -> Vec<T> {
        left.extend(right);
        left
    }
}
