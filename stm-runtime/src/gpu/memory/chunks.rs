//! The part of a batch that is on the device: its columns there, and the copies of transactions to the device. [`outcomes`] copies back.
//!
//! A batch that does not fit runs in chunks. A chunk is a range of transactions or, in later rounds, a part of the
//! transactions of the whole batch that are still pending.

mod device_columns;
pub(crate) mod few;
mod outcomes;

use std::borrow::Cow;
use std::mem;
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use kernels_gen::abi::launch::Launch;
use kernels_gen::device::{Listings, Tuned};

use super::block::Sections;
use super::bytes::{log_stride, own_bytes};
use super::copies::Copies;
use super::histories;
use super::rows::ChunkRows;
use super::transactions::{Transactions, WHAT};
use crate::backend::{Content, Job, SpecializationIds};
use crate::columns::Column;
use crate::error::GpuError;
use crate::gpu::backend::{DeviceBuffer, Driver, Exchange, Executable, HostSlice, HostSliceMut, KernelCall, Limits};
use crate::memory::{self, NoMemory};

/// Device memory for the transactions of one chunk. All chunks use it, one after the other.
pub(crate) struct ChunkBuffers {
    pub(crate) capacity: usize,
    block: DeviceBuffer,
    at: Sections,
    /// Words of results of each transaction.
    components: usize,
    columns: Vec<ColumnPlace>,
    /// The arguments on each device of a cluster.
    copies: Option<Copies>,
    log: Option<DeviceBuffer>,
    /// The engine's memory for the transactions.
    own: Option<DeviceBuffer>,
    /// Its bytes that are zero when they arrive.
    zeroed: usize,
    /// Words of history of each transaction.
    pub(crate) log_stride: usize,
    /// What the last launch left at the beginning of the memory: the counters, and all outcomes of a small chunk.
    head: Vec<u8>,
    /// Whether the chunk is on the device.
    has_arrived: bool,
    /// Whether all transactions of the batch came before the run.
    pub(super) is_ahead: bool,
    /// Whether the memory has the columns of all transactions of the batch.
    is_there: bool,
    /// The batch, if a later run of it may find the columns.
    content: Option<Content>,
    /// The rows of the transactions in the batch, where these are picked and some column is counted.
    picked: Option<DeviceBuffer>,
    /// The cells of picked transactions in the columns that live on the device, and their rows.
    gathered: Vec<DeviceBuffer>,
}

/// An argument column on the device.
struct ColumnPlace {
    procedure: usize,
    /// The column's index in the job.
    column: usize,
    /// The address of row 0, wherever the chunk's first row is. For a computed column, the value in row 0.
    address: u64,
    /// Whether it is in the chunk's memory.
    is_listed: bool,
}

/// A column of a chunk, and its offset in the chunk's memory.
pub(crate) type Placed<'c> = (usize, Column<'c>);

impl ChunkBuffers {
    /// Allocates the memory for that many counters and transactions. Takes what was uploaded ahead, if it is of that size.
    pub(super) fn new(
        backend: &Arc<dyn Driver>,
        job: &Job<'_>,
        engine: &Tuned,
        listings: Listings,
        (counters, capacity): (usize, usize),
        ahead: Option<ChunkBuffers>,
    ) -> Result<ChunkBuffers, GpuError> {
        let bare = match ahead.filter(|ahead| ahead.capacity == capacity) {
            Some(ahead) => ChunkBuffers { is_ahead: true, ..ahead },
            None => ChunkBuffers::bare(backend, job, counters, capacity)?,
        };
        // Zeroed, since all records are downloaded at once: those of unfinished transactions too.
        let log = || DeviceBuffer::zeroed(backend, "transactions", 8 * bare.log_stride * capacity);
        let own_bytes = own_bytes(engine, listings, capacity as u64);
        let own = usize::try_from(own_bytes.iter().sum::<u64>()).unwrap_or(usize::MAX);
        Ok(ChunkBuffers {
            log: job.options.check.then(log).transpose()?,
            own: (own > 0).then(|| DeviceBuffer::new(backend, "the engine's records", own)).transpose()?,
            zeroed: usize::try_from(own_bytes[0]).unwrap_or(usize::MAX),
            ..bare
        })
    }

    /// Allocates the same without the memory of an engine.
    pub(super) fn bare(
        backend: &Arc<dyn Driver>,
        job: &Job<'_>,
        counters: usize,
        capacity: usize,
    ) -> Result<ChunkBuffers, GpuError> {
        let in_order = job.columns_by_procedure();
        let at = Sections::of(job, &in_order, counters, capacity);
        // What is computed need not be found.
        let is_found = capacity == job.transactions && at.bytes() > at.head().end;
        let content = is_found.then_some(job.content);
        let found = content.and_then(|content| DeviceBuffer::find(backend, content, at.bytes()));
        let is_there = found.is_some();
        let block = found.map_or_else(|| DeviceBuffer::new(backend, "transactions", at.bytes()), Ok)?;
        let place = |((procedure, column), at): (&(usize, usize), &Range<usize>)| ColumnPlace {
            procedure: *procedure,
            column: *column,
            address: block.address() + at.start as u64,
            is_listed: !job.columns[*column].is_there(),
        };
        // The first device has fewer arguments anyway.
        let divided = backend.limits().cluster.divided;
        let are_divided = |bytes: &usize| *bytes as u64 >= divided;
        let arguments = Some(at.arguments().len()).filter(are_divided);
        let copies = arguments.and_then(|bytes| Copies::new(backend, "transactions", bytes));
        Ok(ChunkBuffers {
            capacity,
            columns: in_order.iter().zip(&at.columns).map(place).collect(),
            block,
            at,
            components: job.results,
            copies,
            log: None,
            own: None,
            zeroed: 0,
            log_stride: log_stride(job),
            head: Vec::new(),
            has_arrived: false,
            is_ahead: false,
            is_there,
            content,
            picked: None,
            gathered: Vec::new(),
        })
    }

    /// Returns the bytes of that memory.
    pub(super) fn bytes_of(job: &Job<'_>, counters: usize, capacity: usize) -> usize {
        Sections::of(job, &job.columns_by_procedure(), counters, capacity).bytes()
    }

    /// Returns device addresses, 0 for what this batch does not have: status, detail, results, specializations, log.
    pub(crate) fn addresses(&self) -> [u64; 5] {
        let Sections { status, detail, results, specializations, .. } = &self.at;
        let [status, detail, results, specializations] =
            [status, detail, results, specializations].map(|section| self.address(section));
        let specializations = if specializations == 0 { 0 } else { self.copied(specializations) };
        [status, detail, results, specializations, self.log.as_ref().map_or(0, DeviceBuffer::address)]
    }

    /// Returns the device address of the counters.
    pub(crate) fn counters_address(&self) -> u64 {
        self.block.address()
    }

    fn address(&self, section: &Range<usize>) -> u64 {
        if section.is_empty() { 0 } else { self.block.address() + section.start as u64 }
    }

    /// Returns the device address of the engine's memory; 0 for none.
    pub(crate) fn own_address(&self) -> u64 {
        self.own.as_ref().map_or(0, DeviceBuffer::address)
    }

    /// Returns the device addresses of the rows, where there are any, and of the columns.
    pub(crate) fn column_addresses(&self) -> Vec<u64> {
        let rows = (!self.at.rows.is_empty()).then(|| self.copied(self.address(&self.at.rows)));
        let address = |place: &ColumnPlace| if place.is_listed { self.copied(place.address) } else { place.address };
        rows.into_iter().chain(self.columns.iter().map(address)).collect()
    }

    /// Returns an address among the arguments, or the same one in the first copy of them.
    fn copied(&self, address: u64) -> u64 {
        match self.copies.as_ref().filter(|copies| copies.are_filled) {
            None => address,
            Some(copies) => {
                let first = self.block.address() + self.at.arguments().start as u64;
                copies.address().wrapping_add(address.wrapping_sub(first))
            }
        }
    }

    /// Returns the parameters of a launch that are addresses in those copies, and the bytes from one copy to the next.
    pub(crate) fn copied_parameters(&self) -> Vec<(usize, u64)> {
        let Some(copies) = self.copies.as_ref().filter(|copies| copies.are_filled) else { return Vec::new() };
        let rows = (!self.at.rows.is_empty()).then_some(true);
        let are_listed = rows.into_iter().chain(self.columns.iter().map(|place| place.is_listed));
        let columns = are_listed.enumerate().filter(|(_, is_listed)| *is_listed);
        let specializations = (!self.at.specializations.is_empty()).then_some(Launch::SPECIALIZATIONS_WORD);
        columns
            .filter_map(|(at, _)| Launch::column_word(at))
            .chain(specializations)
            .map(|at| (at, copies.pitch))
            .collect()
    }

    /// Returns the device address of the rows of picked transactions; 0 where rows follow each other.
    pub(crate) fn picked_address(&self) -> u64 {
        let picked = self.picked.as_ref().map_or(0, DeviceBuffer::address);
        mutant!("chunks: what is left counts like the first ones", picked, 0)
    }

    /// Returns whether a chunk can travel with its launch.
    pub(crate) fn is_small(&self, limits: Limits) -> bool {
        self.at.bytes() <= limits.along && self.own.is_none() && self.log.is_none()
    }

    /// Returns the columns of a chunk with their places, and prepares for launches on them. Leaves out what is there already, unless all
    /// of it is to travel with a launch.
    pub(crate) fn placed<'c>(
        &mut self,
        job: &Job<'c>,
        transactions: &Transactions<'_>,
        along: bool,
    ) -> Result<Vec<Placed<'c>>, GpuError> {
        assert!(transactions.len() <= self.capacity, "a chunk is at most as large as its buffers");
        self.has_arrived = false;
        if let Some(copies) = self.copies.as_mut().filter(|_| along) {
            copies.are_filled = false;
        }
        let is_there = self.is_there && !along && transactions.are_all(job.transactions);
        let mut rows = ChunkRows::of(job, transactions)?;
        let mut placed = Vec::with_capacity(self.columns.len() + 2);
        for (place, at) in self.columns.iter_mut().zip(&self.at.columns) {
            let column = &job.columns[place.column];
            if let Some(computed) = column.computed() {
                place.address = computed.at(rows.begin());
                continue;
            }
            if column.on_device().is_some() {
                continue;
            }
            if !is_there {
                placed.push((at.start, rows.of_procedure(place.procedure).gather_column(column)?));
            }
            // No row before the first is read, so this may lie before the buffer.
            let before = column.width().bytes() * rows.first(place.procedure);
            place.address = (self.block.address() + at.start as u64).wrapping_sub(before as u64);
        }
        self.pick(job, transactions)?;
        self.find_there(job, &rows)?;
        if is_there {
            return Ok(placed);
        }
        if let Some(all) = job.rows {
            placed.push((self.at.rows.start, Column::U32(rows.take_numbers(all))));
        }
        if let Some(ids) = job.specialization_ids {
            placed.push((self.at.specializations.start, Column::U16(numbers_in_job(ids, transactions)?)));
        }
        Ok(placed)
    }

    /// Uploads the rows of picked transactions, if some column counts them.
    fn pick(&mut self, job: &Job<'_>, transactions: &Transactions<'_>) -> Result<(), GpuError> {
        self.picked = None;
        if let (Transactions::Picked(picked), true) = (transactions, job.counts_rows()) {
            let rows = memory::collected(WHAT, picked.iter().map(|transaction| job.row_of(*transaction) as u64))?;
            let picked = self.block.beside("transactions", 8 * rows.len())?;
            picked.upload(0, HostSlice::U64(&rows))?;
            self.picked = Some(picked);
        }
        Ok(())
    }

    /// Uploads a chunk, and marks every transaction as pending. `is_whole` says that it is all of the batch.
    pub(super) fn upload(&mut self, placed: &[Placed<'_>], is_whole: bool) -> Result<(), GpuError> {
        span!("upload", columns = placed.len());
        self.head.clear();
        self.has_arrived = true;
        let uploads: Vec<_> = placed.iter().map(|(offset, column)| (*offset, HostSlice::of(column))).collect();
        self.block.holds(None);
        self.block.upload_all(&uploads)?;
        if let Some(copies) = &mut self.copies {
            let all = self.at.sections_of_arguments();
            let here = uploads.iter().map(|(offset, cells)| *offset..offset + cells.bytes().len());
            let ranges: Vec<_> = if is_whole { all.collect() } else { here.collect() };
            copies.fill(&self.block, self.at.arguments().start, &ranges)?;
        }
        // After the copies, which would wait for it.
        self.zero_own()?;
        self.blank().iter().try_for_each(|section| self.block.zero_first(section.start, section.len()))?;
        self.is_there = is_whole;
        self.block.holds(self.content.filter(|_| is_whole));
        Ok(())
    }

    /// Uploads a chunk, unless it is all of the batch, and came ahead.
    pub(crate) fn arrive(&mut self, placed: &[Placed<'_>], is_whole: bool) -> Result<(), GpuError> {
        let came = mem::take(&mut self.is_ahead);
        if came && is_whole {
            self.has_arrived = true;
            return self.zero_own();
        }
        self.upload(placed, is_whole)
    }

    /// Zeroes the engine's memory, as far as it is zero when transactions arrive.
    pub(crate) fn zero_own(&self) -> Result<(), GpuError> {
        self.own.as_ref().map_or(Ok(()), |own| own.zero_first(0, self.zeroed))
    }

    /// Returns the sections that are zero before the first launch on a chunk. Procedures without a result write none, and must not
    /// return another transaction's; and all details are downloaded at once.
    fn blank(&self) -> Vec<Range<usize>> {
        let head = self.at.head();
        let whole = vec![head.clone()];
        let blank = mutant!(
            "chunks: the status of an earlier chunk stays",
            whole,
            vec![0..self.at.status.start, self.at.status.end..head.end]
        );
        mutant!(
            "chunks: results of an earlier chunk stay",
            blank,
            vec![0..self.at.results.start, self.at.results.end..head.end]
        )
    }

    /// Zeroes the counters of a launch.
    pub(crate) fn zero_counters(&self) -> Result<(), GpuError> {
        self.block.zero_first(0, self.at.counters.len())
    }

    /// Reads the counters.
    pub(crate) fn download_counters(&self) -> Result<Vec<u64>, GpuError> {
        let mut counts = vec![0; self.at.counters.len() / 8];
        self.block.download(0, HostSliceMut::U64(&mut counts))?;
        Ok(counts)
    }

    /// Launches a kernel, with the chunk if that has to come along, and returns its time and its counters.
    pub(crate) fn launch(
        &mut self,
        program: &dyn Executable,
        call: KernelCall<'_>,
        along: Option<&[Placed<'_>]>,
        limits: Limits,
    ) -> Result<(Duration, Vec<u64>), GpuError> {
        let counters = self.at.counters.len();
        let (head, old) =
            (if self.is_small(limits) { self.at.head().end } else { counters }, std::mem::take(&mut self.head));
        let (blank, at) = (self.blank(), &self.at);
        let write = |into: &mut [u8]| match along {
            None => into.fill(0),
            Some(placed) => {
                into[..old.len()].copy_from_slice(&old);
                blank.iter().for_each(|section| into[section.clone()].fill(0));
                for (offset, column) in placed {
                    let bytes = HostSlice::of(column).bytes();
                    into[*offset..][..bytes.len()].copy_from_slice(bytes);
                }
            }
        };
        let up = if along.is_some() { at.bytes() } else { counters };
        let mut down = memory::zeroed(WHAT, head)?;
        let took = self.block.exchange(program, Exchange { call, up, write: &write, down: &mut down })?;
        self.own.iter().for_each(DeviceBuffer::settle_with_kernel);
        let counts = down[..counters].as_chunks().0.iter().map(|word| u64::from_le_bytes(*word)).collect();
        (self.head, self.has_arrived) = (down, true);
        Ok((took, counts))
    }
}

/// Returns the specializations of a chunk's transactions, by their numbers in the job.
fn numbers_in_job<'c>(ids: SpecializationIds<'c>, transactions: &Transactions<'_>) -> Result<Cow<'c, [u16]>, NoMemory> {
    let in_batch = transactions.gather(ids.in_batch)?;
    if ids.in_job.is_empty() {
        return Ok(in_batch);
    }
    let number =
        |id: &u16| mutant!("chunks: specializations have the numbers of the batch", ids.in_job[usize::from(*id)], *id);
    Ok(Cow::Owned(memory::collected(WHAT, in_batch.iter().map(number))?))
}

#[cfg(any(test, feature = "mutation"))]
pub(crate) mod tests {
    use super::outcomes::scatter;
    use super::*;

    hunted! {
        a_chunk_takes_its_transactions_of_a_column_that_may_end_early
        values_go_to_the_transactions_they_belong_to
    }

    #[cfg_attr(test, test)]
    fn a_chunk_takes_its_transactions_of_a_column_that_may_end_early() {
        let cells = [10_u32, 11, 12];
        let gathered = |transactions: Transactions<'_>| transactions.gather(&cells).unwrap().into_owned();
        assert_eq!(gathered(Transactions::Range(1..3)), [11, 12]);
        assert_eq!(gathered(Transactions::Range(2..9)), [12]);
        assert_eq!(gathered(Transactions::Range(5..9)), [0_u32; 0]);
        assert_eq!(gathered(Transactions::Picked(&[2, 0, 7])), [12, 10, 0]);
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
