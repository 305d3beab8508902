//! The part of a batch that is on the device: its columns there, and the copies of transactions to and from the device.
//!
//! A batch that does not fit runs in chunks. A chunk is a range of transactions or, in later rounds, a part of the
//! transactions of the whole batch that are still pending.

use std::sync::Arc;

use kernels_gen::abi::history;
use kernels_gen::device::{Extent, Scope, Tuned};

use super::partitions;
use super::rows::ChunkRows;
use super::transactions::{Transactions, WHAT, is_finished};
use super::unordered::Unordered;
use crate::backend::{Job, SpecializationIds};
use crate::columns::Column;
use crate::error::GpuError;
use crate::gpu::backend::{DeviceBuffer, Driver, HostSlice, HostSliceMut};
use crate::memory;
use crate::outcome::{Entry, History, RunOutput};

/// The number of transactions whose histories are downloaded at a time.
const LOG_TRANSACTIONS: usize = 1 << 16;

/// Device memory for the transactions of one chunk. All chunks use it, one after the other.
pub(crate) struct ChunkBuffers {
    pub(crate) capacity: usize,
    status: DeviceBuffer,
    detail: DeviceBuffer,
    results: Option<DeviceBuffer>,
    /// Words of results of each transaction.
    components: usize,
    specializations: Option<DeviceBuffer>,
    /// The row of each transaction, where that is not the transaction's index.
    rows: Option<DeviceBuffer>,
    columns: Vec<ColumnBuffer>,
    log: Option<DeviceBuffer>,
    /// The engine's memory for the transactions.
    own: Option<DeviceBuffer>,
    /// Words of history of each transaction.
    pub(crate) log_stride: usize,
}

/// An argument column on the device.
struct ColumnBuffer {
    buffer: DeviceBuffer,
    procedure: usize,
    /// The column's index in the job.
    column: usize,
    /// The address of row 0, wherever the chunk's first row is.
    address: u64,
}

/// Transactions whose specializations are converted and uploaded at once.
const IDS: usize = if cfg!(test) { 1 << 4 } else { 1 << 19 };

/// Bytes of the number of a row.
const ROW_BYTES: usize = 4;

/// Bytes of a chunk's transactions on the device.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct ChunkBytes {
    pub(crate) arguments: u64,
    pub(crate) results: u64,
    pub(crate) bookkeeping: u64,
}

impl ChunkBytes {
    /// Returns the most bytes that a number of transactions takes, whichever they are.
    pub(crate) fn of(job: &Job<'_>, engine: &Tuned, transactions: u64) -> ChunkBytes {
        let log = if job.options.check { 8 * log_stride(job) as u64 } else { 0 };
        let groups = if engine.requires.partitions { partitions::TRANSACTION_BYTES } else { 0 };
        let ids = if job.specialization_ids.is_some() { 2 } else { 0 };
        let rows = if job.rows.is_some() { ROW_BYTES as u64 } else { 0 };
        let most = usize::try_from(transactions).unwrap_or(usize::MAX);
        ChunkBytes {
            arguments: job.columns.iter().map(|column| column.bytes(most)).sum(),
            results: 8 * job.results as u64 * transactions,
            // Status and detail; the specialization and the row if there are several; the history if it is recorded; the index of
            // the first transaction of each partition; and the engine's memory.
            bookkeeping: (1 + 4 + ids + rows + log + groups) * transactions + own_bytes(engine, transactions),
        }
    }

    pub(crate) fn total(self) -> u64 {
        self.arguments + self.results + self.bookkeeping
    }
}

/// Returns the bytes of the engine's memory for that number of transactions.
fn own_bytes(engine: &Tuned, transactions: u64) -> u64 {
    engine.bytes(Scope::Chunk, Extent { transactions, ..Extent::new(engine.settings) })
}

/// Returns the words of a history; an element can be read and written.
fn log_stride(job: &Job<'_>) -> usize {
    history::words(2 * job.footprint() as usize)
}

impl ChunkBuffers {
    pub(crate) fn new(
        backend: &Arc<dyn Driver>,
        job: &Job<'_>,
        engine: &Tuned,
        capacity: usize,
    ) -> Result<ChunkBuffers, GpuError> {
        let new = |bytes| DeviceBuffer::new(backend, "transactions", bytes * capacity);
        // Zeroed, since all records are downloaded at once: those of transactions without a detail or an unfinished history too.
        let zeroed = |bytes| DeviceBuffer::zeroed(backend, "transactions", bytes * capacity);
        let columns = new_columns(backend, job, capacity)?;
        let log_stride = log_stride(job);
        let own = usize::try_from(own_bytes(engine, capacity as u64)).unwrap_or(usize::MAX);
        Ok(ChunkBuffers {
            capacity,
            status: new(1)?,
            detail: zeroed(4)?,
            results: (job.results > 0).then(|| new(8 * job.results)).transpose()?,
            components: job.results,
            specializations: job.specialization_ids.map(|_| new(2)).transpose()?,
            rows: job.rows.map(|_| new(ROW_BYTES)).transpose()?,
            columns,
            log: job.options.check.then(|| zeroed(8 * log_stride)).transpose()?,
            own: (own > 0).then(|| DeviceBuffer::new(backend, "the engine's records", own)).transpose()?,
            log_stride,
        })
    }

    /// Returns device addresses, 0 for what this batch does not have: status, detail, results, specializations, log.
    pub(crate) fn addresses(&self) -> [u64; 5] {
        let of = |buffer: &Option<DeviceBuffer>| buffer.as_ref().map_or(0, DeviceBuffer::address);
        [self.status.address(), self.detail.address(), of(&self.results), of(&self.specializations), of(&self.log)]
    }

    /// Returns the device address of the engine's memory; 0 for none.
    pub(crate) fn own_address(&self) -> u64 {
        self.own.as_ref().map_or(0, DeviceBuffer::address)
    }

    /// Returns the device addresses of the rows, where there are any, and of the columns.
    pub(crate) fn column_addresses(&self) -> Vec<u64> {
        let rows = self.rows.iter().map(DeviceBuffer::address);
        rows.chain(self.columns.iter().map(|column| column.address)).collect()
    }

    /// Uploads the transactions' arguments and marks every transaction as pending.
    pub(crate) fn upload(&mut self, job: &Job<'_>, transactions: &Transactions<'_>) -> Result<(), GpuError> {
        assert!(transactions.len() <= self.capacity, "a chunk is at most as large as its buffers");
        self.own.as_ref().map_or(Ok(()), DeviceBuffer::zero)?;
        mutant!("chunks: the status of an earlier chunk stays", self.status.zero()?, ());
        if let Some(results) = &self.results {
            // Procedures without a result write none, and must not return another transaction's.
            mutant!("chunks: results of an earlier chunk stay", results.zero()?, ());
        }
        let rows = ChunkRows::of(job, transactions)?;
        for on_device in &mut self.columns {
            on_device.upload(&job.columns[on_device.column], &rows)?;
        }
        if let (Some(all), Some(buffer)) = (job.rows, &self.rows) {
            buffer.upload(0, HostSlice::U32(rows.numbers(all)))?;
        }
        match (job.specialization_ids, &self.specializations) {
            (Some(ids), Some(buffer)) => upload_ids(ids, transactions, buffer),
            _ => Ok(()),
        }
    }

    /// Downloads the outcomes; details only where there are any.
    pub(crate) fn download(
        &self,
        transactions: &Transactions<'_>,
        details: bool,
        output: &mut RunOutput,
    ) -> Result<(), GpuError> {
        let fetch = |status: &mut [u8]| self.status.download(0, HostSliceMut::U8(status));
        scatter(transactions, &mut output.status, fetch)?;
        if details {
            scatter(transactions, &mut output.detail, |d: &mut [u32]| self.detail.download(0, HostSliceMut::U32(d)))?;
        }
        if let Some(results) = &self.results {
            let batch = output.status.len();
            for component in 0..self.components {
                // Both sides are component by component: on the device for the transactions of the chunk, here for those of the
                // batch.
                let stride =
                    mutant!("chunks: a short chunk has results like a long one", transactions.len(), self.capacity);
                let fetch = |words: &mut [u64]| results.download(8 * component * stride, HostSliceMut::U64(words));
                scatter(transactions, &mut output.results[component * batch..][..batch], fetch)?;
            }
        }
        Ok(())
    }

    /// Adds the histories of the transactions that this chunk finished; the outcomes are already on the host.
    pub(crate) fn download_history(
        &self,
        transactions: &Transactions<'_>,
        status: &[u8],
        history: &mut History,
    ) -> Result<(), GpuError> {
        let Some(log) = &self.log else { return Ok(()) };
        let stride = self.log_stride;
        let mut unordered = Unordered::default();
        let mut words =
            memory::zeroed::<u64>("histories", stride.saturating_mul(LOG_TRANSACTIONS.min(transactions.len())))?;
        for begin in (0..transactions.len()).step_by(LOG_TRANSACTIONS) {
            let count = LOG_TRANSACTIONS.min(transactions.len() - begin);
            let words = &mut words[..stride * count];
            log.download(8 * stride * begin, HostSliceMut::U64(words))?;
            for (index, record) in words.chunks_exact(stride).enumerate() {
                let transaction = transactions.at(begin + index);
                if is_finished(status[transaction]) {
                    let number =
                        mutant!("chunks: histories number the transactions of a chunk", transaction, begin + index);
                    match record[0] & history::UNORDERED {
                        0 => history.push(number, entries(record))?,
                        _ => unordered.push(number, entries(record))?,
                    }
                }
            }
        }
        unordered.put_in_order(history)
    }
}

/// Uploads the specializations of a chunk's transactions, by their numbers in the job.
fn upload_ids(
    ids: SpecializationIds<'_>,
    transactions: &Transactions<'_>,
    buffer: &DeviceBuffer,
) -> Result<(), GpuError> {
    let mut picked = Vec::new();
    let in_batch = transactions.gather(ids.in_batch, &mut picked)?;
    if ids.in_job.is_empty() {
        return buffer.upload(0, HostSlice::U16(in_batch));
    }
    let mut in_job = memory::with_room(WHAT, IDS.min(in_batch.len()))?;
    for (nth, in_batch) in in_batch.chunks(IDS).enumerate() {
        in_job.clear();
        in_job.extend(in_batch.iter().map(|id| {
            mutant!("chunks: specializations have the numbers of the batch", ids.in_job[usize::from(*id)], *id)
        }));
        buffer.upload(2 * IDS * nth, HostSlice::U16(&in_job))?;
    }
    Ok(())
}

impl ColumnBuffer {
    /// Uploads the rows that a chunk has of the column.
    fn upload(&mut self, column: &Column<'_>, rows: &ChunkRows<'_>) -> Result<(), GpuError> {
        let (of, buffer) = (rows.of_procedure(self.procedure), &self.buffer);
        match column {
            Column::U8(cells) => buffer.upload(0, HostSlice::U8(of.gather(cells, &mut Vec::new())?))?,
            Column::U16(cells) => buffer.upload(0, HostSlice::U16(of.gather(cells, &mut Vec::new())?))?,
            Column::U32(cells) => buffer.upload(0, HostSlice::U32(of.gather(cells, &mut Vec::new())?))?,
            Column::U64(cells) => buffer.upload(0, HostSlice::U64(of.gather(cells, &mut Vec::new())?))?,
        }
        // No row before the first is read, so this may lie before the buffer.
        let before = column.width().bytes() * rows.first(self.procedure);
        self.address = buffer.address().wrapping_sub(before as u64);
        Ok(())
    }
}

/// Allocates the columns of a chunk, in the order of the unit's: each has as many rows as its procedure can have there.
fn new_columns(backend: &Arc<dyn Driver>, job: &Job<'_>, capacity: usize) -> Result<Vec<ColumnBuffer>, GpuError> {
    let new = |(procedure, column): (usize, usize)| {
        let buffer = DeviceBuffer::new(backend, "transactions", job.columns[column].bytes(capacity) as usize)?;
        Ok(ColumnBuffer { address: buffer.address(), buffer, procedure, column })
    };
    job.columns_by_procedure().into_iter().map(new).collect()
}

/// Decodes a record: a count and that many pairs. A count that does not fit is the device's error; the record is truncated.
fn entries(record: &[u64]) -> impl Iterator<Item = Entry> {
    let (count, pairs) = record.split_first().expect("a record has a count");
    let count = usize::try_from(*count & !history::UNORDERED).unwrap_or(usize::MAX);
    let taken = mutant!("chunks: a history has all that fits", count, usize::MAX);
    pairs.chunks_exact(2).take(taken).map(|pair| Entry::from_words(pair[0], pair[1]))
}

/// Downloads one value of each transaction and stores it at the transaction's index in the batch.
fn scatter<T: Copy + Default>(
    transactions: &Transactions<'_>,
    into: &mut [T],
    fetch: impl FnOnce(&mut [T]) -> Result<(), GpuError>,
) -> Result<(), GpuError> {
    match transactions {
        Transactions::Range(range) => fetch(&mut into[range.clone()]),
        Transactions::Picked(transactions) => {
            let mut values = memory::filled(WHAT, transactions.len(), T::default())?;
            fetch(&mut values)?;
            for (transaction, value) in transactions.iter().zip(values) {
                into[mutant!("chunks: outcomes of what is left go to others", *transaction, *transaction / 2)] = value;
            }
            Ok(())
        }
    }
}

#[cfg(any(test, feature = "mutation"))]
pub(crate) mod tests {
    use super::*;

    hunted! {
        a_chunk_takes_its_transactions_of_a_column_that_may_end_early
        a_record_that_counts_past_its_end_is_cut
        values_go_to_the_transactions_they_belong_to
    }

    #[cfg_attr(test, test)]
    fn a_chunk_takes_its_transactions_of_a_column_that_may_end_early() {
        let cells = [10_u32, 11, 12];
        let mut picked = Vec::new();
        assert_eq!(Transactions::Range(1..3).gather(&cells, &mut picked).unwrap(), [11, 12]);
        assert_eq!(Transactions::Range(2..9).gather(&cells, &mut picked).unwrap(), [12]);
        assert_eq!(Transactions::Range(5..9).gather(&cells, &mut picked).unwrap(), [0_u32; 0]);
        assert_eq!(Transactions::Picked(&[2, 0, 7]).gather(&cells, &mut picked).unwrap(), [12, 10, 0]);
    }

    #[cfg_attr(test, test)]
    fn a_record_that_counts_past_its_end_is_cut() {
        assert_eq!(entries(&[1, 5, 6, 7, 8]).count(), 1);
        assert_eq!(entries(&[u64::MAX, 5, 6, 7, 8]).count(), 2);
        assert_eq!(entries(&[0]).count(), 0);
    }

    #[cfg_attr(test, test)]
    fn values_go_to_the_transactions_they_belong_to() {
        let mut into = [0_u8; 5];
        scatter(&Transactions::Picked(&[4, 1]), &mut into, |values| {
            values.copy_from_slice(&[8, 9]);
            Ok(())
        })
        .unwrap();
        assert_eq!(into, [0, 9, 0, 0, 8]);
    }
}
