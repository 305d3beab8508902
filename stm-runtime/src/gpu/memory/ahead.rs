//! The transactions of a batch that are on the device before its run begins.

use std::sync::Arc;
use std::time::{Duration, Instant};

use kernels_gen::device::{Listings, Tuned};

use super::bytes::counters;
use super::chunks::ChunkBuffers;
use super::transactions::Transactions;
use crate::backend::Job;
use crate::error::GpuError;
use crate::gpu::backend::Driver;

/// The part of the free memory that such a batch takes at most: the arrays of the runs before it, and its own, come first.
const PART: u64 = 16;

/// Bytes of transactions whose upload takes longer than to start a thread, and several times so.
const LARGE: usize = 8 << 20;

/// All transactions of a batch in one chunk, which has been uploaded.
pub(crate) struct AheadChunk {
    buffers: ChunkBuffers,
    /// The time that took.
    took: Duration,
}

impl AheadChunk {
    /// Uploads all transactions of a job. Returns `None` where the run has to do it: the transactions travel with their launch, take too
    /// much memory, or cannot be uploaded, which the run will report.
    pub(crate) fn of(backend: &Arc<dyn Driver>, job: &Job<'_>) -> Option<AheadChunk> {
        let (begin, counters) = (Instant::now(), counters(job));
        let bytes = ChunkBuffers::bytes_of(job, counters, job.transactions) as u64;
        let wanted = bytes.saturating_mul(PART);
        let fits = bytes > backend.limits().along as u64 && wanted <= backend.memory_for(wanted).ok()?.free;
        let upload = || -> Result<ChunkBuffers, GpuError> {
            let mut buffers = ChunkBuffers::bare(backend, job, counters, job.transactions)?;
            let last = job.transactions;
            let all = Transactions::Range(0..mutant!("chunks: what goes ahead lacks one transaction", last, last - 1));
            let placed = buffers.placed(job, &all, false)?;
            buffers.upload(&placed, all.are_all(job.transactions))?;
            Ok(buffers)
        };
        fits.then(upload)?.ok().map(|buffers| AheadChunk { buffers, took: begin.elapsed() })
    }

    /// Returns whether the upload takes long enough for other work beside it.
    pub(crate) fn is_large(job: &Job<'_>) -> bool {
        let listed = job.columns.iter().filter(|column| !column.is_there());
        listed.map(|column| column.width().bytes() * column.len()).sum::<usize>() >= LARGE
    }

    /// Gives up the memory where the arrays of the run need it.
    pub(crate) fn unless_short(self, backend: &dyn Driver, missing: u64) -> Option<AheadChunk> {
        let is_short = missing > 0 && backend.memory_for(missing).map_or(true, |memory| missing > memory.free);
        (!is_short).then_some(self)
    }

    /// Returns the memory for that many transactions: this, if it suits them. Adds the time of its upload then.
    pub(crate) fn or_new(
        ahead: Option<AheadChunk>,
        backend: &Arc<dyn Driver>,
        job: &Job<'_>,
        (engine, listings): (&Tuned, Listings),
        capacity: usize,
        uploading: &mut Duration,
    ) -> Result<ChunkBuffers, GpuError> {
        let (ahead, took) = ahead.map(|AheadChunk { buffers, took }| (buffers, took)).unzip();
        let buffers = ChunkBuffers::new(backend, job, engine, listings, (counters(job), capacity), ahead)?;
        *uploading += took.filter(|_| buffers.is_ahead).unwrap_or_default();
        Ok(buffers)
    }
}
