//! Filling a batch: calls one by one, and columns of calls.

use super::batch::Batch;
use super::call::{Call, Pushable, Ticket};
use super::columns::{Columns, Tickets};
use super::last::Last;
use super::specializations;
use crate::backend::Array;
use crate::columns::{self, Column};
use crate::data::GpuData;
use crate::device_cells::NotAdded;
use crate::error::Error;
use crate::extent::MAX_TRANSACTIONS;
use crate::memory::{self, NoMemory};
use crate::procedure::Procedure;

/// The purpose of the memory of outcomes, for the error when there are too many transactions.
const OUTCOMES: &str = "the outcomes of transactions";

impl<'a> Batch<'a> {
    /// Adds a transaction. A call that does not fit the batch (an array of another device, say, or of a function that does not
    /// compile for devices), or for which the host has no memory, is an error of [`Batch::run`].
    ///
    /// For many transactions, [`Batch::push_columns`] is faster.
    // Always: the values of the call then go from registers to the columns.
    #[inline(always)]
    pub fn push<'c, R: GpuData, const ARRAYS: usize, const VALUES: usize>(
        &mut self,
        call: impl Pushable<'c, R, ARRAYS, VALUES>,
    ) -> Ticket<R> {
        let call = call.stm_call();
        let transaction = self.transactions;
        self.transactions += 1;
        if !self.last.is(call.procedure, &call.arrays) {
            // A copy, so that the arrays need no memory elsewhere. So in `put`.
            self.change_specialization(transaction, call.procedure, &{ call.arrays });
        }
        if let Some((which, parts)) = call.parts_differ {
            self.refuse_parts(transaction, call.procedure, which, parts);
        }
        if let Err(short) = self.put(transaction, &call.words) {
            self.refuse(short);
        }
        Ticket::new(self.id, transaction)
    }

    /// Adds a transaction, or returns why the call does not fit the batch. A refused call leaves the batch as it was: the batch
    /// takes other calls, and can run.
    ///
    /// # Errors
    /// The errors that [`Batch::push`] leaves to the run. After [`Batch::push`] has refused a call, every later call is refused
    /// for the same reason.
    pub fn try_push<R: GpuData, const ARRAYS: usize, const VALUES: usize>(
        &mut self,
        call: Call<'_, R, ARRAYS, VALUES>,
    ) -> Result<Ticket<R>, Error> {
        self.refusal()?;
        let transaction = self.transactions;
        if let Some((which, parts)) = call.parts_differ {
            return Err(specializations::parts_differ(transaction, call.procedure, which, parts));
        }
        if !self.last.is(call.procedure, &call.arrays) {
            self.find_specialization(transaction, call.procedure, &call.arrays)?;
        }
        let rows = self.rows_of_last();
        if let Err(error) = self.put(transaction, &call.words) {
            self.take_back(transaction, rows);
            return Err(error);
        }
        self.transactions += 1;
        Ok(Ticket::new(self.id, transaction))
    }

    /// Adds a transaction for each row of columns, in their order, and returns the tickets.
    ///
    /// The batch reads borrowed columns where they are, and takes over those that are passed by value: scalars cost no work for each
    /// transaction. Compound values, such as records, are taken apart into their components, by several threads if there are many.
    /// If the batch already has transactions of the same procedure, the columns are copied to the end of those.
    ///
    /// ```
    /// use stm_runtime::prelude::*;
    ///
    /// #[gpu_transaction]
    /// fn transfer(tx: &mut Tx, accounts: &Shared<i64>, from: u32, to: u32, amount: i64) -> TxResult {
    ///     tx.update(accounts, from, |balance| balance - amount)?;
    ///     tx.update(accounts, to, |balance| balance + amount)
    /// }
    ///
    /// # fn main() -> Result<(), Error> {
    /// let device = Device::cpu(2);
    /// let accounts = device.shared(&[100_i64; 4])?;
    /// let from = vec![0, 1, 2];
    /// let to = vec![1, 2, 3];
    /// let amount = vec![10, 20, 30];
    /// let mut batch = device.batch();
    /// batch.push_columns(transfer::columns(&accounts, &from, &to, &amount))?;
    /// batch.run()?;
    /// assert_eq!(accounts.to_vec()?, [90, 90, 90, 130]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// The columns have different lengths, a call does not fit the batch, or the host has not enough memory. Then no transaction is
    /// added, and the batch can be used further. After [`Batch::push`] has refused a call, columns are refused for the same reason.
    pub fn push_columns<R: GpuData, const ARRAYS: usize>(
        &mut self,
        columns: Columns<'_, 'a, R, ARRAYS>,
    ) -> Result<Tickets<R>, Error> {
        self.refusal()?;
        let (first, count) = (self.transactions, columns.count(&self.device)?);
        if let Some((which, at, parts)) = columns.parts_differ() {
            return Err(specializations::parts_differ(first + at, columns.procedure, which, parts));
        }
        let end = first.saturating_add(count);
        if end > MAX_TRANSACTIONS {
            return Err(NoMemory::for_elements::<u8>(OUTCOMES, end).into());
        }
        if count > 0 {
            if !self.last.is(columns.procedure, &columns.arrays) {
                self.find_specialization(first, columns.procedure, &columns.arrays)?;
            }
            let rows = self.rows_of_last();
            let put = self.number_rows(self.last.number, first, rows, count);
            let own = self.last.columns.clone();
            let put = put.and_then(|()| Ok(columns.add_to(&mut self.specializations.columns[own], Column::append)?));
            if let Err(error) = put {
                self.take_back(first, rows);
                return Err(error);
            }
        }
        self.transactions = end;
        Ok(Tickets::new(self.id, first..end))
    }

    /// Makes room for that many more transactions: now in the columns that the batch has, and in later columns as soon as they
    /// appear.
    ///
    /// # Errors
    /// The host has not enough memory. If it is short for later columns, [`Batch::run`] returns the error.
    pub fn reserve(&mut self, transactions: usize) -> Result<(), Error> {
        let wanted = self.transactions.saturating_add(transactions);
        // Every transaction has an outcome of one byte.
        memory::ask::<u8>(OUTCOMES, wanted)?;
        self.specializations.columns.iter_mut().try_for_each(|column| column.reserve(transactions))?;
        if !self.ids.is_empty() {
            memory::grow_by(columns::WHAT, &mut self.ids, transactions)?;
        }
        if !self.rows.is_empty() {
            memory::grow_by(columns::WHAT, &mut self.rows, transactions)?;
        }
        self.specializations.wanted = self.specializations.wanted.max(wanted);
        Ok(())
    }

    /// Removes all transactions, and a call that was refused. The batch keeps its memory, so that it can be filled with as many of the same
    /// calls again without an allocation. Tickets from before belong to no run of the batch from now on.
    pub fn clear(&mut self) {
        let device = self.device.clone();
        *self = std::mem::replace(self, Batch::new(device)).cleared();
    }

    /// Returns the batch without transactions, as [`Batch::clear`], for columns that live shorter or longer than the earlier ones.
    #[must_use]
    pub fn cleared<'b>(self) -> Batch<'b> {
        let Batch { device, specializations, mut ids, mut rows, memo, last, .. } = self;
        ids.clear();
        rows.clear();
        let (specializations, last) = (specializations.emptied(), last.emptied());
        Batch { ids, rows, memo, last, specializations, ..Batch::new(device) }
    }

    /// Returns why an earlier call was refused.
    fn refusal(&self) -> Result<(), Error> {
        self.error.clone().map_or(Ok(()), Err)
    }

    /// Writes the values of the newest transaction, whose specialization is the last one. Does nothing if there is no
    /// specialization.
    #[inline(always)]
    fn put<const VALUES: usize>(&mut self, transaction: usize, words: &[u64; VALUES]) -> Result<(), Error> {
        if self.specializations.list.len() > 1 {
            self.put_specialization(transaction)?;
        }
        let own = self.specializations.columns.get_mut(self.last.columns.clone()).unwrap_or_default();
        match <&mut [Column<'a>; VALUES]>::try_from(&mut *own) {
            // Their number is a constant here, so this is no loop.
            Ok(own) => own.iter_mut().zip(words).try_for_each(|(column, word)| column.push(*word))?,
            Err(_) => put_few(own, &{ *words })?,
        }
        Ok(())
    }

    /// Writes specialization and row of the newest transaction, for a batch with several specializations.
    #[inline(never)]
    fn put_specialization(&mut self, transaction: usize) -> Result<(), Error> {
        if self.last.is_none() {
            return Ok(());
        }
        if self.specializations.procedures.len() > 1 {
            let row = self.rows_of_last();
            let row = mutant!("batch: transactions have the rows of others", row, transaction);
            let row = u32::try_from(row).map_err(|_| too_many_rows(transaction))?;
            memory::push(columns::WHAT, &mut self.rows, row)?;
        }
        memory::push(columns::WHAT, &mut self.ids, self.last.number as u16)?;
        Ok(())
    }

    /// Writes rows of transactions of one specialization, from the row on, and the number of the specialization.
    pub(super) fn number_rows(
        &mut self,
        specialization: usize,
        first: usize,
        row: usize,
        count: usize,
    ) -> Result<(), Error> {
        if self.specializations.list.len() > 1 {
            memory::grow_by(columns::WHAT, &mut self.ids, count)?;
            let number = specialization as u16;
            self.ids.resize(first + count, mutant!("batch: columns have the first specialization", number, 0));
        }
        if self.specializations.procedures.len() > 1 {
            u32::try_from(row + count).map_err(|_| too_many_rows(first))?;
            memory::grow_by(columns::WHAT, &mut self.rows, count)?;
            let begin = mutant!("batch: columns begin at the first row", row, 0);
            self.rows.extend(begin as u32..(begin + count) as u32);
        }
        Ok(())
    }

    /// Returns the number of rows in the columns of the last specialization.
    fn rows_of_last(&self) -> usize {
        let own = self.specializations.columns.get(self.last.columns.clone()).unwrap_or_default();
        own.first().map_or(0, Column::len)
    }

    /// Undoes what adding from this transaction on, and from this row on, did before it failed.
    #[cold]
    fn take_back(&mut self, transaction: usize, rows: usize) {
        self.ids.truncate(transaction);
        self.rows.truncate(transaction);
        let own = self.specializations.columns.get_mut(self.last.columns.clone()).unwrap_or_default();
        own.iter_mut().for_each(|column| column.truncate(rows));
    }

    #[cold]
    fn refuse_parts(&mut self, transaction: usize, procedure: &'static Procedure, which: usize, parts: [u32; 2]) {
        self.refuse(specializations::parts_differ(transaction, procedure, which, parts));
    }

    /// Refuses all later calls. [`Batch::run`] returns the first reason.
    #[cold]
    pub(super) fn refuse(&mut self, error: Error) {
        self.error.get_or_insert(error);
        self.last = Last::default();
    }

    #[cold]
    fn change_specialization(&mut self, transaction: usize, procedure: &'static Procedure, arrays: &[&Array]) {
        if self.error.is_some() {
            return;
        }
        if let Err(error) = self.find_specialization(transaction, procedure, arrays) {
            self.refuse(error);
        }
    }

    /// Makes the specialization of this procedure and these arrays the last one. Adds it if it is new.
    pub(super) fn find_specialization(
        &mut self,
        transaction: usize,
        procedure: &'static Procedure,
        arrays: &[&Array],
    ) -> Result<(), Error> {
        if self.specializations.list.len() == 1 && self.ids.is_empty() {
            // Reserve before the lookup, so that a call refused for lack of memory leaves the batch as it was.
            memory::grow_by(columns::WHAT, &mut self.ids, self.specializations.wanted.max(transaction))?;
        }
        let is_second =
            self.specializations.procedures.len() == 1 && self.specializations.position(procedure).is_none();
        if is_second && self.rows.is_empty() {
            u32::try_from(transaction).map_err(|_| too_many_rows(transaction))?;
            memory::grow_by(columns::WHAT, &mut self.rows, self.specializations.wanted.max(transaction))?;
        }
        let at = self.specializations.find(&self.device, transaction, procedure, arrays)?;
        if self.specializations.list.len() == 2 && self.ids.is_empty() {
            // All transactions so far have the first specialization.
            self.ids.resize(transaction, 0);
        }
        if is_second && self.rows.is_empty() {
            // All transactions so far are of the first procedure.
            self.rows.extend(0..transaction as u32);
        }
        self.last.set(procedure, arrays, at, self.specializations.list[at].columns.clone());
        Ok(())
    }
}

/// Writes the first values of a call that was refused, or has no columns.
#[cold]
fn put_few(own: &mut [Column<'_>], words: &[u64]) -> Result<(), NotAdded> {
    own.iter_mut().zip(words).try_for_each(|(column, word)| column.push(*word))
}

/// Adds the transactions of an iterator, with [`Batch::push`] for each.
impl<'stm, R: GpuData, const ARRAYS: usize, const VALUES: usize> Extend<Call<'stm, R, ARRAYS, VALUES>> for Batch<'_> {
    fn extend<I: IntoIterator<Item = Call<'stm, R, ARRAYS, VALUES>>>(&mut self, calls: I) {
        let calls = calls.into_iter();
        // The first call of a function brings its columns. Where memory is short for all of them, some may still fit.
        let (least, _) = calls.size_hint();
        let _ = self.reserve(least);
        calls.for_each(|call| {
            self.push(call);
        });
    }
}

/// Returns the error of a batch of several procedures in which one has more transactions than a row can number.
#[cold]
pub(super) fn too_many_rows(transaction: usize) -> Error {
    Error::BatchFull {
        transaction,
        what: "transactions of one function beside those of others",
        max: u32::MAX as usize,
    }
}
