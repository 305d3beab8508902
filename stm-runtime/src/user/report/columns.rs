//! Outcomes of many transactions at once, without an object for each.

use std::borrow::Cow;

use super::summary::Report;
use crate::data::{DeviceColumn, GpuData, value_of};
use crate::error::Error;
use crate::memory;
use crate::new_rows::CellsMut;
use crate::outcome::{COMMITTED, FAULTED, REJECTED, Status};
use crate::user::columns::Tickets;

impl Report {
    /// Returns how each transaction of the batch ended, in their order: of none, where outcomes were only counted.
    pub fn statuses(&self) -> impl ExactSizeIterator<Item = Status> + DoubleEndedIterator + '_ {
        let status = &self.outcomes.status;
        (0..status.transactions()).map(|transaction| match status.at(transaction).unwrap_or_default() {
            COMMITTED => Status::Committed,
            REJECTED => Status::Rejected(self.outcomes.detail.get(transaction).copied().unwrap_or(0)),
            FAULTED => Status::Faulted,
            _ => Status::Unresolved,
        })
    }

    /// Returns one bit for each transaction of the batch, from the lowest bit of the first word on: whether it committed. No bits, where
    /// outcomes were only counted. Where nearly all have committed, a GPU sends those that have not, and no statuses.
    ///
    /// # Errors
    /// The host has not enough memory.
    pub fn committed_bits(&self) -> Result<Vec<u64>, Error> {
        let status = &self.outcomes.status;
        let transactions = status.transactions();
        let mut bits = memory::filled("the bits of statuses", transactions.div_ceil(64), u64::MAX)?;
        if let Some(last) = bits.last_mut() {
            *last >>= (64 - transactions % 64) % 64;
        }
        for (at, _) in status.unlike(0..transactions, |status| status == COMMITTED) {
            bits[at / 64] &= !(1 << (at % 64));
        }
        Ok(bits)
    }

    /// Returns the results of transactions that were pushed together, in their order: `None` where one did not commit. All are `None` if
    /// the tickets belong to another batch, or outcomes were only counted.
    ///
    /// ```
    /// use stm_runtime::prelude::*;
    ///
    /// #[gpu_transaction]
    /// fn take(tx: &mut Tx, stock: &Shared<u32>, item: u32) -> TxResult<u32> {
    ///     let left = tx.read(stock, item)?;
    ///     tx.guard(left > 0)?;
    ///     tx.write(stock, item, left - 1)?;
    ///     Ok(left)
    /// }
    ///
    /// # fn main() -> Result<(), Error> {
    /// let device = Device::cpu(1);
    /// let stock = device.shared(&[5_u32, 0, 9])?;
    /// let mut batch = device.batch();
    /// let tickets = batch.push_columns(take::columns(&stock, &[0, 1, 2]))?;
    /// let report = batch.run()?;
    /// assert_eq!(report.results(&tickets).collect::<Vec<_>>(), [Some(5), None, Some(9)]);
    /// assert_eq!(report.statuses().filter(|status| status.is_committed()).count(), 2);
    /// let column = report.result_column(&tickets).expect("the tickets are of this batch");
    /// assert_eq!((column[0], column[2], report.committed_bits()?), (5, 9, vec![0b101]));
    /// # Ok(())
    /// # }
    /// ```
    pub fn results<R: GpuData>(
        &self,
        tickets: &Tickets<R>,
    ) -> impl ExactSizeIterator<Item = Option<R>> + DoubleEndedIterator + use<'_, R> {
        let first = self.first_of(tickets);
        let (from, count) = (first.unwrap_or(0), tickets.len());
        (from..from + count).map(move |transaction| {
            let is_committed = first.is_some() && self.outcomes.status.at(transaction) == Some(COMMITTED);
            is_committed.then(|| self.result(transaction)).flatten()
        })
    }

    /// Returns the results of transactions that were pushed together as one list, in their order: where `R` is an `i64`, `u64` or `f64`
    /// without a copy. The value is any where a transaction did not commit ([`Report::statuses`] says it), and `None` is returned if the
    /// tickets belong to another batch, or outcomes were only counted.
    #[must_use]
    pub fn result_column<R: GpuData>(&self, tickets: &Tickets<R>) -> Option<Cow<'_, [R]>> {
        let first = self.first_of(tickets)?;
        if self.outcomes.there.is_some() {
            let there = self.results_there(tickets).ok()??;
            return there.to_vec().ok().map(Cow::Owned);
        }
        let words = self.outcomes.results.get(first..first + tickets.len()).unwrap_or_default();
        if R::COMPONENTS == 1
            && let Some(values) = R::stm_values(words)
        {
            return Some(Cow::Borrowed(values));
        }
        let fill = &mut |cells: CellsMut<'_>| {
            cells.put_all(words);
            Ok(())
        };
        if R::COMPONENTS == 1
            && let Some(values) = R::stm_filled(words.len(), fill)
        {
            return values.ok().map(Cow::Owned);
        }
        (first..first + tickets.len()).map(|transaction| self.result(transaction)).collect()
    }

    /// Returns the results of transactions that were pushed together as a column on the device, in their order, where they have stayed
    /// there ([`Outcomes::ResultsStay`](crate::options::Outcomes::ResultsStay)): an argument of a later batch, without the host. The result
    /// of a transaction that has not committed consists of zeros. Results of 8 bytes are not copied, and narrower ones on the device.
    /// `None` if results have not stayed there, or the tickets belong to another batch.
    ///
    /// ```
    /// use stm_runtime::options::Outcomes;
    /// use stm_runtime::prelude::*;
    ///
    /// #[gpu_transaction]
    /// fn take(tx: &mut Tx, stock: &Shared<u32>, item: u32) -> TxResult<u32> {
    ///     let left = tx.read(stock, item)?;
    ///     tx.write(stock, item, 0)?;
    ///     Ok(left)
    /// }
    ///
    /// #[gpu_transaction]
    /// fn put(tx: &mut Tx, stock: &Shared<u32>, item: u32, amount: u32) -> TxResult {
    ///     tx.update(stock, item, |left| left + amount)
    /// }
    ///
    /// # fn main() -> Result<(), Error> {
    /// let device = Device::cpu(1);
    /// let (here, there) = (device.shared(&[5_u32, 7, 9])?, device.shared(&[0_u32; 3])?);
    /// let mut batch = device.batch();
    /// let tickets = batch.push_columns(take::columns(&here, 0..3))?;
    /// let report = batch.run_with(&RunOptions::new().outcomes(Outcomes::ResultsStay))?;
    /// let taken = report.results_there(&tickets)?.expect("they have stayed");
    /// let mut batch = device.batch();
    /// batch.push_columns(put::columns(&there, 0..3, &taken))?;
    /// batch.run()?;
    /// assert_eq!(there.to_vec()?, [5, 7, 9]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// The device has not enough memory, or failed.
    pub fn results_there<R: GpuData>(&self, tickets: &Tickets<R>) -> Result<Option<DeviceColumn<R>>, Error> {
        let (Some(first), Some((device, words))) = (self.first_of(tickets), &self.outcomes.there) else {
            return Ok(None);
        };
        let transactions = self.outcomes.status.transactions();
        let component = |component: usize| {
            let begin = component * transactions + first;
            words.range(begin..begin + tickets.len())
        };
        DeviceColumn::of_words(device, tickets.len(), component).map(Some)
    }

    /// Returns the first of transactions that are all in this report.
    fn first_of<R>(&self, tickets: &Tickets<R>) -> Option<usize> {
        let transactions = tickets.transactions();
        let are_here =
            tickets.batch() == self.outcomes.batch && transactions.end <= self.outcomes.status.transactions();
        are_here.then_some(transactions.start)
    }

    /// Returns the result of a transaction, which exists; `None` where a device has it, and has failed.
    #[inline]
    pub(super) fn result<R: GpuData>(&self, transaction: usize) -> Option<R> {
        if let Some((_, there)) = &self.outcomes.there {
            let transactions = self.outcomes.status.transactions();
            let word = |component| there.word(component * transactions + transaction);
            return Some(value_of((0..R::COMPONENTS).map(word).collect::<Option<Vec<_>>>()?));
        }
        let components = self.outcomes.results.chunks_exact(self.outcomes.status.transactions());
        Some(value_of(components.map(|component| component[transaction])))
    }
}
