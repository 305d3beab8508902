//! A call that waits to be put into a table, and the ticket that stands for it afterwards.

use std::fmt;
use std::marker::PhantomData;

use crate::data::GpuData;
use crate::kind::Kind;
use crate::region::Region;

/// One transaction: a kind with its regions and values. `transfer::call(..)` makes it, [`Table::push`](crate::Table::push)
/// takes it.
#[must_use = "a call does nothing until it is pushed into a table"]
pub struct Call<'stm, R, const REGIONS: usize, const VALUES: usize> {
    pub(crate) kind: &'static Kind,
    pub(crate) regions: [&'stm Region; REGIONS],
    pub(crate) words: [u64; VALUES],
    /// Two of its `Local` parameters are different parts: which of them differs from the first, and both parts.
    pub(crate) parts_differ: Option<(usize, [u32; 2])>,
    result: PhantomData<R>,
}

impl<'stm, R: GpuData, const REGIONS: usize, const VALUES: usize> Call<'stm, R, REGIONS, VALUES> {
    /// A call of a kind: the regions and the words of all leaves, in order. Generated code makes sure that they fit.
    #[doc(hidden)]
    #[inline]
    pub fn new(kind: &'static Kind, regions: [&'stm Region; REGIONS], words: [u64; VALUES]) -> Self {
        Call { kind, regions, words, parts_differ: None, result: PhantomData }
    }

    /// The parts that it takes for its `Local` parameters, in order: they have to be one.
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

impl<R, const REGIONS: usize, const VALUES: usize> fmt::Debug for Call<'_, R, REGIONS, VALUES> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Call({}, {:?})", self.kind.name(), self.words)
    }
}

/// Stands for a transaction of a table; [`Report::outcome`](crate::Report::outcome) takes it. `R` is its result.
pub struct Ticket<R = ()> {
    table: u64,
    row: usize,
    result: PhantomData<fn() -> R>,
}

impl<R> Ticket<R> {
    #[inline]
    pub(crate) fn new(table: u64, row: usize) -> Ticket<R> {
        Ticket { table, row, result: PhantomData }
    }

    /// The transaction's row in the table, from 0.
    #[must_use]
    pub fn row(self) -> usize {
        self.row
    }

    /// Table and row.
    pub(crate) fn place(self) -> (u64, usize) {
        (self.table, self.row)
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
        write!(f, "Ticket({})", self.row)
    }
}
