//! A call that is to be pushed to a batch, and the ticket of the pushed transaction.

use std::fmt;
use std::marker::PhantomData;

use crate::backend::Array;
use crate::data::GpuData;
use crate::procedure::Procedure;

/// One transaction: a procedure with its arrays and values. `transfer::call(..)` makes it, and
/// [`Batch::push`](crate::Batch::push) takes it.
#[must_use = "a call does nothing until it is pushed into a batch"]
pub struct Call<'stm, R, const ARRAYS: usize, const VALUES: usize> {
    pub(crate) procedure: &'static Procedure,
    pub(crate) arrays: [&'stm Array; ARRAYS],
    pub(crate) words: [u64; VALUES],
    /// The first `Partition` parameter whose index differs from that of the first one, with both indices; `None` if all are equal.
    pub(crate) parts_differ: Option<(usize, [u32; 2])>,
    result: PhantomData<R>,
}

impl<'stm, R: GpuData, const ARRAYS: usize, const VALUES: usize> Call<'stm, R, ARRAYS, VALUES> {
    /// Returns a call of a procedure with its arrays and the words of all components, in order. Generated code makes sure that
    /// they fit.
    #[doc(hidden)]
    #[inline]
    pub fn new(procedure: &'static Procedure, arrays: [&'stm Array; ARRAYS], words: [u64; VALUES]) -> Self {
        Call { procedure, arrays, words, parts_differ: None, result: PhantomData }
    }

    /// Sets the partition indices of its `Partition` parameters, in order. They must be equal.
    #[doc(hidden)]
    #[inline]
    pub fn on_one_part(mut self, parts: &[u32]) -> Self {
        if let [first, others @ ..] = parts {
            let other = others.iter().position(|part| part != first);
            self.parts_differ = other.map(|at| (at + 1, [*first, others[at]]));
        }
        self
    }
}

/// What can be pushed to a batch: a [`Call`].
#[diagnostic::on_unimplemented(
    message = "this is no call of a transaction, but the result of running one",
    label = "write `name::call(..)`, without the handle",
    note = "`batch.push(pay::call(&accounts, 1, 2))` adds a transaction, which runs when the batch does"
)]
pub trait Pushable<'stm, R, const ARRAYS: usize, const VALUES: usize> {
    /// Returns the call.
    #[doc(hidden)]
    fn stm_call(self) -> Call<'stm, R, ARRAYS, VALUES>;
}

impl<'stm, R, const ARRAYS: usize, const VALUES: usize> Pushable<'stm, R, ARRAYS, VALUES>
    for Call<'stm, R, ARRAYS, VALUES>
{
    #[inline(always)]
    fn stm_call(self) -> Call<'stm, R, ARRAYS, VALUES> {
        self
    }
}

impl<R, const ARRAYS: usize, const VALUES: usize> fmt::Debug for Call<'_, R, ARRAYS, VALUES> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Call({}, {:?})", self.procedure.name(), self.words)
    }
}

/// The handle of a transaction of a batch, for [`Report::outcome`](crate::Report::outcome). `R` is its result.
pub struct Ticket<R = ()> {
    batch: u64,
    transaction: usize,
    result: PhantomData<fn() -> R>,
}

impl<R> Ticket<R> {
    #[inline]
    pub(crate) fn new(batch: u64, transaction: usize) -> Ticket<R> {
        Ticket { batch, transaction, result: PhantomData }
    }

    /// Returns the index of the transaction in the batch, from 0.
    #[must_use]
    pub fn transaction(self) -> usize {
        self.transaction
    }

    /// Returns the number of the batch and the transaction index.
    pub(crate) fn place(self) -> (u64, usize) {
        (self.batch, self.transaction)
    }
}

impl<R> Clone for Ticket<R> {
    fn clone(&self) -> Ticket<R> {
        *self
    }
}

impl<R> Copy for Ticket<R> {}

impl<R> fmt::Debug for Ticket<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Ticket({})", self.transaction)
    }
}
