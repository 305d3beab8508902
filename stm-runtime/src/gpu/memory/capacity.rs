//! Memory limits: the arrays, and the transactions of a batch on the device at once.

use kernels_gen::abi::counters::Counter;

use super::array::{GpuArray, Terms};
use super::chunks::TransactionBytes;
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
pub(crate) fn require(free: u64, arrays: &[&GpuArray], terms: Terms) -> Result<(), GpuError> {
    let needed = arrays.iter().map(|array| array.missing_bytes(terms)).sum();
    if needed > free {
        return Err(GpuError::OutOfMemory { what: "arrays and their lock words", needed, free });
    }
    Ok(())
}

/// Returns the memory to leave to the driver, for launches and loaded code.
fn reserve(memory: MemoryInfo) -> u64 {
    memory.total / 32
}

/// Refuses a requirement that no launch can meet, whatever else is on the device.
pub(crate) fn require_scratch(scratch: u64, memory: MemoryInfo) -> Result<(), GpuError> {
    if scratch > memory.total - reserve(memory) {
        return Err(GpuError::OutOfMemory { what: SETS, needed: scratch, free: memory.free });
    }
    Ok(())
}

/// Returns the transactions of a chunk, from the user's limit, the memory left after what the first launch takes,
/// the engine's limit `most`, and the transactions that each of the `threads` should scan.
pub(crate) fn chunk_size(
    job: &Job<'_>,
    most: Option<u64>,
    threads: u64,
    transaction: TransactionBytes,
    memory: MemoryInfo,
    scratch: u64,
) -> Result<usize, GpuError> {
    let reserve = reserve(memory);
    let fewest = FEWEST_TRANSACTIONS.min(job.transactions as u64);
    let room = |taken: u64| memory.free.saturating_sub(taken) / transaction.total();
    if room(reserve) < fewest {
        let needed = fewest * transaction.total() + reserve;
        return Err(GpuError::OutOfMemory { what: "transactions", needed, free: memory.free });
    }
    // An earlier launch may have allocated it already, which cannot be detected, so too little memory is no reason to refuse.
    let fit = room(reserve + scratch).max(fewest);
    let said = mutant!("chunks: the size that the user wants is overlooked", job.options.chunk_size, None);
    let said = said.map_or(u64::MAX, |transactions| transactions as u64);
    let transactions = (job.transactions as u64)
        .min(fit)
        .min(said)
        .min(MOST_TRANSACTIONS)
        .min(most.unwrap_or(u64::MAX))
        .min(threads.saturating_mul(TRANSACTIONS_A_THREAD));
    Ok(transactions as usize)
}

/// Returns the memory figures of a run for the report.
pub(crate) fn memory(
    arrays: &[&GpuArray],
    terms: Terms,
    transaction: TransactionBytes,
    transactions: usize,
    locations: usize,
) -> Memory {
    let transactions = transactions as u64;
    let mut memory = Memory::default();
    for array in arrays {
        let (data, locks) = array.bytes(terms);
        memory.data += data;
        memory.locks += locks;
    }
    memory.arguments = transaction.arguments * transactions;
    memory.results = transaction.results * transactions;
    memory.bookkeeping = transaction.bookkeeping * transactions + 8 * (Counter::COUNT + locations) as u64;
    memory
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_that_no_launch_can_hold_are_refused() {
        let memory = MemoryInfo { free: 10 << 30, total: 64 << 30 };
        assert!(require_scratch(40 << 30, memory).is_ok(), "an earlier launch may hold it");
        let error = require_scratch(63 << 30, memory).unwrap_err();
        assert!(error.to_string().contains("`max_accesses`"), "{error}");
    }
}
