//! Transactions that come one by one, from any thread, and run in batches.

mod intake;
mod options;
mod parcel;
mod round;
mod submission;
#[cfg(all(test, not(loom)))]
mod tests;
mod totals;
mod tray;
mod work;

use std::fmt;
use std::sync::Arc;

pub use options::PipelineOptions;
pub use submission::{Submission, Submissions};
pub use totals::Totals;

use super::call::Call;
use super::columns::Columns;
use crate::backend::{Device, Order};
use crate::data::GpuData;
use crate::error::Error;
use crate::threads::processors;
use intake::{Intake, Refusal};
use parcel::FillingBatch;
use tray::Put;

/// Trays for each processor: few threads share one by accident.
const TRAYS: usize = 2;
/// The most trays: a thread empties all of them under the lock.
const MOST_TRAYS: usize = 64;

/// Takes transactions from any thread, runs them in batches, and resolves a ticket for each: [`Device::pipeline`] makes one.
///
/// One batch fills while others are under way: one on CPU threads, and up to three on a GPU, where one is copied to the device and one back
/// from it beside the one that runs. A batch runs when it is full ([`PipelineOptions::max_transactions`]), or when its first transaction
/// has waited long enough ([`PipelineOptions::max_delay`]), after the batch before it. If all are full, [`Pipeline::submit`] waits and
/// [`Pipeline::try_submit`] returns the call.
///
/// - **Unresolved.** A transaction waits for a guard as long as its batch runs. If no transaction of the batch makes the guard true, the
///   outcome is [`Outcome::Unresolved`](crate::Outcome::Unresolved), without effect; submit the call again to try it with later ones.
/// - **Errors.** The error of a run, or the panic of a user's function in it, is that of each ticket of the batch. The pipeline goes on
///   with the next batch; [`Pipeline::totals`] has the first error.
/// - **Dropping** the pipeline is [`Pipeline::close`]: what was taken runs. Unless the pipeline was closed before, a warning tells of a run
///   that failed, and of transactions that are unresolved or have faulted: an event of `tracing`, or a line of the standard error.
///
/// ```
/// use stm_runtime::{PipelineOptions, prelude::*};
///
/// #[gpu_transaction]
/// fn withdraw(tx: &mut Tx, accounts: &Shared<i64>, from: u32, amount: i64) -> TxResult<i64> {
///     let balance = tx.read(accounts, from)?;
///     if balance < amount {
///         return tx.reject(1);
///     }
///     tx.write(accounts, from, balance - amount)?;
///     Ok(balance - amount)
/// }
///
/// # fn main() -> Result<(), Error> {
/// let device = Device::cpu(2);
/// let accounts = device.shared(&[100_i64; 4])?;
/// let pipeline = device.pipeline(PipelineOptions::new())?;
/// std::thread::scope(|scope| {
///     for account in 0..4 {
///         let (pipeline, accounts) = (&pipeline, &accounts);
///         scope.spawn(move || {
///             let one = pipeline.submit(withdraw::call(accounts, account, 70))?;
///             assert_eq!(one.wait()?, Outcome::Committed(30));
///             let other = pipeline.submit(withdraw::call(accounts, account, 70))?;
///             assert_eq!(other.wait()?, Outcome::Rejected(1));
///             Ok::<(), Error>(())
///         });
///     }
/// });
/// let totals = pipeline.close()?;
/// assert_eq!((totals.committed, totals.rejected), (4, 4));
/// # Ok(())
/// # }
/// ```
pub struct Pipeline {
    device: Device,
    intake: Arc<Intake>,
}

/// Why [`Pipeline::try_submit`] did not take a call.
#[derive(Debug, thiserror::Error)]
pub enum NotSubmitted<C> {
    /// The batch that fills is full, and those before it have not ended. Here is the call.
    #[error("the pipeline is full; try again later, or wait with `submit`")]
    Full(C),
    /// The pipeline is closed. Here is the call.
    #[error("{}", Error::PipelineClosed)]
    Closed(C),
    /// The call does not fit a batch of the device.
    #[error(transparent)]
    Refused(Error),
}

impl Device {
    /// Returns a pipeline, which runs batches on this device by threads of its own.
    ///
    /// # Errors
    /// An option cannot have its value, or the system refuses a thread.
    pub fn pipeline(&self, options: PipelineOptions) -> Result<Pipeline, Error> {
        let PipelineOptions { max_transactions, max_delay, run } = options;
        if max_transactions == 0 {
            return Err(Error::OptionValue { option: "max_transactions", value: 0, least: 1, most: u64::MAX });
        }
        let order = self.batch().resolve(&run)?.order;
        let workers = self.backend().under_way();
        let trays = if order == Order::Pushed { 1 } else { (TRAYS * processors()).min(MOST_TRAYS) };
        let filling = FillingBatch::new(self.batch());
        let intake = Arc::new(Intake::new(filling, max_transactions, max_delay, trays, workers));
        work::start(self, &intake, &run, workers)?;
        Ok(Pipeline { device: self.clone(), intake })
    }
}

impl Pipeline {
    /// Submits a transaction, and waits for room if the pipeline is full.
    ///
    /// # Errors
    /// The call does not fit a batch of the device, as of [`Batch::try_push`](crate::Batch::try_push); the pipeline is closed; or
    /// the call would have to wait and comes from inside a run ([`Error::WaitInside`]). Then the transaction was not taken.
    pub fn submit<R: GpuData, const ARRAYS: usize, const VALUES: usize>(
        &self,
        call: Call<'_, R, ARRAYS, VALUES>,
    ) -> Result<Submission<R>, Error> {
        match self.intake.take(&call, true) {
            Ok(Put { sheet, at, .. }) => Ok(Submission::new(sheet, at)),
            Err(Refusal::Error(error)) => Err(error),
            Err(Refusal::Full) => unreachable!("a caller that waits finds room"),
        }
    }

    /// Submits a transaction, if there is room.
    ///
    /// # Errors
    /// The pipeline is full or closed: the call comes back. Or the call does not fit a batch of the device.
    pub fn try_submit<'stm, R: GpuData, const ARRAYS: usize, const VALUES: usize>(
        &self,
        call: Call<'stm, R, ARRAYS, VALUES>,
    ) -> Result<Submission<R>, NotSubmitted<Call<'stm, R, ARRAYS, VALUES>>> {
        match self.intake.take(&call, false) {
            Ok(Put { sheet, at, .. }) => Ok(Submission::new(sheet, at)),
            Err(Refusal::Full) => Err(NotSubmitted::Full(call)),
            Err(Refusal::Error(Error::PipelineClosed)) => Err(NotSubmitted::Closed(call)),
            Err(Refusal::Error(error)) => Err(NotSubmitted::Refused(error)),
        }
    }

    /// Submits a transaction for each row of columns, all to one batch, and waits for room if it does not hold them. More than
    /// [`PipelineOptions::max_transactions`] have a batch to themselves. The lists are copied, before the thread waits and beside others; those on a device, to the host.
    ///
    /// # Errors
    /// As [`Batch::push_columns`](crate::Batch::push_columns) and [`Pipeline::submit`]. Then no transaction was taken.
    pub fn submit_columns<R: GpuData, const ARRAYS: usize>(
        &self,
        columns: Columns<'_, '_, R, ARRAYS>,
    ) -> Result<Submissions<R>, Error> {
        let (round, tickets) = self.intake.take_columns(&self.device, columns)?;
        Ok(Submissions::new(round, tickets))
    }

    /// Runs what was submitted, without the delay, and waits for it.
    ///
    /// # Errors
    /// The call would have to wait and comes from inside a run ([`Error::WaitInside`]). The error of a run is in the totals.
    pub fn flush(&self) -> Result<Totals, Error> {
        self.intake.flush()
    }

    /// Takes no more transactions, runs those that it has, and waits for them. Threads that wait for room get
    /// [`Error::PipelineClosed`].
    ///
    /// # Errors
    /// As [`Pipeline::flush`]; the pipeline is closed then, too.
    pub fn close(&self) -> Result<Totals, Error> {
        self.intake.close()
    }

    /// Returns the sums of the batches that have run.
    #[must_use]
    pub fn totals(&self) -> Totals {
        self.intake.totals()
    }
}

impl Drop for Pipeline {
    fn drop(&mut self) {
        if !self.intake.lock().was_closed {
            // Inside of a run it does not wait: the thread runs what is left.
            let _ = self.intake.close();
            self.intake.drop_handle();
        }
    }
}

impl fmt::Debug for Pipeline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pipeline").field("totals", &self.totals()).finish_non_exhaustive()
    }
}
