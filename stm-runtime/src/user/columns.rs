//! Many calls at once, as columns of values, and the tickets of their transactions.

use std::borrow::Cow;
use std::fmt;
use std::iter::FusedIterator;
use std::marker::PhantomData;
use std::ops::Range;

use super::call::Ticket;
use crate::backend::{Array, Device};
use crate::columns::Column;
use crate::data::{GpuData, IntoColumn, Listed, ValueColumn};
use crate::device_cells::NotAdded;
use crate::error::Error;
use crate::procedure::Procedure;

/// Transactions of one procedure on the same arrays: a list of values for each of its parameters. `transfer::columns(..)` makes it,
/// and [`Batch::push_columns`](crate::Batch::push_columns) takes it.
///
/// The values of transaction `k` are those at index `k` of each list. `'a` is the lifetime of the lists that are borrowed.
#[must_use = "columns do nothing until they are pushed into a batch"]
pub struct Columns<'stm, 'a, R, const ARRAYS: usize> {
    pub(super) procedure: &'static Procedure,
    pub(super) arrays: [&'stm Array; ARRAYS],
    values: Vec<ValueColumn<'a>>,
    /// The partition numbers of each `Partition` parameter, which must be equal.
    parts: Vec<ValueColumn<'a>>,
    /// The first partition parameter whose numbers differ from those of the first one: its place, the transaction and both numbers.
    parts_differ: Option<(usize, usize, [u32; 2])>,
    result: PhantomData<R>,
}

impl<'stm, 'a, R: GpuData, const ARRAYS: usize> Columns<'stm, 'a, R, ARRAYS> {
    /// Returns calls of a procedure with its arrays, without values yet. Generated code makes sure that all of them fit.
    #[doc(hidden)]
    pub fn new(procedure: &'static Procedure, arrays: [&'stm Array; ARRAYS]) -> Self {
        Columns { procedure, arrays, values: Vec::new(), parts: Vec::new(), parts_differ: None, result: PhantomData }
    }

    /// Adds the values of the next parameter.
    #[doc(hidden)]
    pub fn values<T: GpuData>(mut self, parameter: &'static str, values: impl IntoColumn<'a, T>) -> Self {
        self.values.push(ValueColumn::new(parameter, values.stm_listed()));
        self
    }

    /// Adds the partitions of the `Partition` parameters, with the parameters' names.
    #[doc(hidden)]
    pub fn parts<const PARTS: usize>(mut self, numbers: [(&'static str, Cow<'a, [u32]>); PARTS]) -> Self {
        if let [(_, first), others @ ..] = &numbers[..] {
            self.parts_differ = others.iter().enumerate().find_map(|(nth, (_, other))| {
                let transaction = first.iter().zip(other.iter()).position(|(one, other)| one != other)?;
                Some((nth + 1, transaction, [first[transaction], other[transaction]]))
            });
        }
        self.parts =
            numbers.map(|(parameter, numbers)| ValueColumn::new::<u32>(parameter, Listed::Values(numbers))).into();
        self
    }

    /// Returns the number of transactions.
    ///
    /// # Errors
    /// Two lists have different lengths, or one is on another device.
    pub(super) fn count(&self, device: &Device) -> Result<usize, Error> {
        if let Some(foreign) = self.values.iter().find(|values| values.is_foreign(device.id())) {
            let (procedure, parameter) = (self.procedure.name(), foreign.name);
            return Err(Error::ForeignColumn { procedure, parameter, device: device.describe() });
        }
        let mut all = self.values.iter().chain(&self.parts);
        let Some(first) = all.next() else { return Ok(0) };
        match all.find(|other| other.len() != first.len()) {
            None => Ok(first.len()),
            Some(other) => Err(Error::ColumnLengths {
                procedure: self.procedure.name(),
                columns: [first.name, other.name],
                lengths: [first.len(), other.len()],
            }),
        }
    }

    /// Returns the place of a partition parameter that differs from the first one, the transaction, and both partitions.
    pub(super) fn parts_differ(&self) -> Option<(usize, usize, [u32; 2])> {
        self.parts_differ
    }

    /// Adds the values to the columns of the procedure, scalars by `append`. Where it fails, some columns have more rows.
    pub(super) fn add_to<'b>(
        self,
        columns: &mut [Column<'b>],
        append: impl Fn(&mut Column<'b>, Column<'a>) -> Result<(), NotAdded>,
    ) -> Result<(), NotAdded> {
        let mut all = self.values.into_iter().chain(self.parts.into_iter().take(1));
        all.try_fold(columns, |columns, values| values.add_to(columns, &append)).map(|_| ())
    }
}

impl<R, const ARRAYS: usize> fmt::Debug for Columns<'_, '_, R, ARRAYS> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Columns({}, {:?})", self.procedure.name(), self.values)
    }
}

/// The tickets of transactions that were pushed together, in their order. `R` is their result.
///
/// ```
/// use stm_runtime::prelude::*;
///
/// #[gpu_transaction]
/// fn take(tx: &mut Tx, stock: &Shared<u32>, item: u32) -> TxResult<u32> {
///     tx.update(stock, item, |left| left - 1)?;
///     tx.read(stock, item)
/// }
///
/// # fn main() -> Result<(), Error> {
/// let device = Device::cpu(1);
/// let stock = device.shared(&[5_u32, 9])?;
/// let mut batch = device.batch();
/// let items = [1, 0, 1];
/// let tickets = batch.push_columns(take::columns(&stock, &items))?;
/// let report = batch.run()?;
/// let mut left: Vec<_> = tickets.iter().filter_map(|ticket| report.outcome(ticket).committed()).collect();
/// left.sort();
/// assert_eq!(left, [4, 7, 8]);
/// # Ok(())
/// # }
/// ```
pub struct Tickets<R = ()> {
    batch: u64,
    transactions: Range<usize>,
    result: PhantomData<fn() -> R>,
}

impl<R> Tickets<R> {
    pub(super) fn new(batch: u64, transactions: Range<usize>) -> Tickets<R> {
        Tickets { batch, transactions, result: PhantomData }
    }

    /// Returns the number of the batch.
    pub(super) fn batch(&self) -> u64 {
        self.batch
    }

    /// Returns how many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.transactions.len()
    }

    /// Returns whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.transactions.is_empty()
    }

    /// Returns the ticket of the transaction with the values at that index of the columns.
    #[must_use]
    pub fn get(&self, index: usize) -> Option<Ticket<R>> {
        (index < self.len()).then(|| Ticket::new(self.batch, self.transactions.start + index))
    }

    /// Returns the indices of the transactions in the batch.
    #[must_use]
    pub fn transactions(&self) -> Range<usize> {
        self.transactions.clone()
    }

    /// Returns the tickets, one after the other.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Ticket<R>> + DoubleEndedIterator + FusedIterator + use<R> {
        let batch = self.batch;
        self.transactions.clone().map(move |transaction| Ticket::new(batch, transaction))
    }
}

impl<R> Clone for Tickets<R> {
    fn clone(&self) -> Tickets<R> {
        Tickets::new(self.batch, self.transactions.clone())
    }
}

impl<R> fmt::Debug for Tickets<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Tickets({:?})", self.transactions)
    }
}
