//! Memory limits: the arrays, and the transactions of a batch on the device at once.

use kernels_gen::abi::counters::Counter;

use super::arrays::JobArrays;
use super::bytes::ChunkBytes;
use crate::backend::Job;
use crate::error::GpuError;
use crate::gpu::backend::{MemoryInfo, SETS};
use crate::outcome::Memory;

/// The most transactions of each thread: every launch scans finished transactions once more.
const TRANSACTIONS_A_THREAD: u64 = 1 << 16;
/// Transaction indices of a launch fit in 32 bits.
const MOST_TRANSACTIONS: u64 = 1 << 31;
/// The smallest chunk that lack of memory leads to.
const FEWEST_TRANSACTIONS: u64 = 1024;

/// Refuses before anything is moved; the message has the whole requirement.
pub(crate) fn require(free: u64, arrays: &JobArrays<'_>) -> Result<(), GpuError> {
    let needed = arrays.missing_bytes();
    if needed > free {
        return Err(GpuError::OutOfMemory { what: "arrays and their lock words", needed, free });
    }
    Ok(())
}

/// Returns the memory to leave to the driver, for launches and loaded code.
fn reserve(memory: MemoryInfo) -> u64 {
    memory.total / 32
}

/// Returns the memory for transactions where the first launch takes `scratch`, as far as earlier launches have not taken it already.
fn room(memory: MemoryInfo, scratch: u64) -> u64 {
    memory.free.saturating_sub(reserve(memory) + scratch.saturating_sub(memory.scratch))
}

/// Refuses a requirement that no launch can meet, whatever else is on the device.
pub(crate) fn require_scratch(scratch: u64, memory: MemoryInfo) -> Result<(), GpuError> {
    if scratch > memory.total - reserve(memory) {
        return Err(GpuError::OutOfMemory { what: SETS, needed: scratch, free: memory.free });
    }
    Ok(())
}

/// Returns the transactions of a chunk, from the user's limit, the memory left after what the first launch takes,
/// the engine's limit `most`, and the transactions that each of the `threads` should scan. `bytes` gives what a number of transactions takes.
pub(crate) fn chunk_size(
    job: &Job<'_>,
    most: Option<u64>,
    threads: u64,
    bytes: impl Fn(u64) -> u64,
    memory: MemoryInfo,
    scratch: u64,
) -> Result<usize, GpuError> {
    let (all, reserve) = (job.transactions as u64, reserve(memory));
    let fewest = FEWEST_TRANSACTIONS.min(all);
    if bytes(fewest) > memory.free.saturating_sub(reserve) {
        return Err(GpuError::OutOfMemory { what: "transactions", needed: bytes(fewest) + reserve, free: memory.free });
    }
    let fit = most_within(all, room(memory, scratch), bytes).max(fewest);
    let said = mutant!("chunks: the size that the user wants is overlooked", job.options.chunk_size, None);
    let said = said.map_or(u64::MAX, |transactions| transactions as u64);
    let transactions = all
        .min(fit)
        .min(said)
        .min(MOST_TRANSACTIONS)
        .min(most.unwrap_or(u64::MAX))
        .min(threads.saturating_mul(TRANSACTIONS_A_THREAD));
    Ok(transactions as usize)
}

/// Returns the most transactions, up to `all`, that take at most that many bytes.
fn most_within(all: u64, room: u64, bytes: impl Fn(u64) -> u64) -> u64 {
    let (mut fits, mut beyond) = (0, all + 1);
    while fits + 1 < beyond {
        let middle = fits + (beyond - fits) / 2;
        *(if bytes(middle) <= room { &mut fits } else { &mut beyond }) = middle;
    }
    fits
}

/// Returns the memory figures of a run for the report.
pub(crate) fn memory(arrays: &JobArrays<'_>, chunk: ChunkBytes) -> Memory {
    let mut memory = Memory::default();
    (memory.data, memory.locks) = arrays.bytes();
    memory.arguments = chunk.arguments;
    memory.results = chunk.results;
    memory.bookkeeping = chunk.bookkeeping + 8 * Counter::COUNT as u64;
    memory
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_transactions_as_fit_are_taken() {
        // Of 5 bytes each, and 3 more for each of the first ten.
        let bytes = |transactions: u64| 5 * transactions + 3 * transactions.min(10);
        assert_eq!([0, 7, 8, 16, 80, 84, 85].map(|room| most_within(100, room, bytes)), [0, 0, 1, 2, 10, 10, 11]);
        assert_eq!([529, 530, 9999].map(|room| most_within(100, room, bytes)), [99, 100, 100]);
    }

    #[test]
    fn what_earlier_launches_have_taken_is_not_taken_again() {
        let first = MemoryInfo { free: 60 << 30, total: 64 << 30, scratch: 0 };
        assert_eq!(room(first, 40 << 30), 18 << 30);
        let second = MemoryInfo { free: 20 << 30, scratch: 40 << 30, ..first };
        assert_eq!(room(second, 40 << 30), 18 << 30);
        assert_eq!(room(second, 45 << 30), 13 << 30);
        assert_eq!(room(second, 90 << 30), 0);
    }

    #[test]
    fn sets_that_no_launch_can_hold_are_refused() {
        let memory = MemoryInfo { free: 10 << 30, total: 64 << 30, scratch: 0 };
        assert!(require_scratch(40 << 30, memory).is_ok(), "an earlier launch may hold it");
        let error = require_scratch(63 << 30, memory).unwrap_err();
        assert!(error.to_string().contains("`max_accesses`"), "{error}");
    }
}
