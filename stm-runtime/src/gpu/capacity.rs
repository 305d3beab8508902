//! What fits: regions, and rows of the table at once.

use kernels_gen::device::launch::Counter;

use super::backend::MemoryInfo;
use super::error::GpuError;
use super::geometry::Geometry;
use super::pieces::RowBytes;
use super::region::{GpuRegion, Terms};
use crate::job::Job;
use crate::report::Memory;

/// Rows a thread at the most: each launch walks over finished rows once more.
const ROWS_A_THREAD: u64 = 1 << 16;
/// Row numbers of a launch fit into 32 bits.
const MOST_ROWS: u64 = 1 << 31;
/// A piece is never smaller for want of memory.
const FEWEST_ROWS: u64 = 1024;

/// Refuses before anything is moved, with the whole need in the message.
pub(super) fn require(free: u64, regions: &[&GpuRegion], terms: Terms) -> Result<(), GpuError> {
    let needed = regions.iter().map(|region| region.missing_bytes(terms)).sum();
    if needed > free {
        return Err(GpuError::OutOfMemory { what: "regions and their lock words", needed, free });
    }
    Ok(())
}

/// The driver needs some memory of its own, for launches and loaded code.
fn reserve(memory: MemoryInfo) -> u64 {
    memory.total / 32
}

/// What is short where threads cannot hold their sets.
pub(super) const SETS: &str = "the sets of what transactions access (a smaller `max_accesses` needs less)";

/// Refuses what no launch can have, whatever else is on the device.
pub(super) fn require_scratch(scratch: u64, memory: MemoryInfo) -> Result<(), GpuError> {
    if scratch > memory.total - reserve(memory) {
        return Err(GpuError::OutOfMemory { what: SETS, needed: scratch, free: memory.free });
    }
    Ok(())
}

/// How many rows a piece has: what the user says, what fits beside what the first launch takes, what a thread should walk over.
pub(super) fn piece_rows(
    job: &Job<'_>,
    geometry: Geometry,
    row: RowBytes,
    memory: MemoryInfo,
    scratch: u64,
) -> Result<usize, GpuError> {
    let reserve = reserve(memory);
    let fewest = FEWEST_ROWS.min(job.rows as u64);
    let beside = |taken: u64| memory.free.saturating_sub(taken) / row.total();
    if beside(reserve) < fewest {
        let needed = fewest * row.total() + reserve;
        return Err(GpuError::OutOfMemory { what: "transactions", needed, free: memory.free });
    }
    // An earlier launch may have taken it already: it cannot be told, so too little is no reason to refuse.
    let fit = beside(reserve + scratch).max(fewest);
    let said = mutant!("chunks: the size that the user wants is overlooked", job.options.piece_rows, None);
    let said = said.map_or(u64::MAX, |rows| rows as u64);
    let rows =
        (job.rows as u64).min(fit).min(said).min(MOST_ROWS).min(geometry.threads().saturating_mul(ROWS_A_THREAD));
    Ok(rows as usize)
}

/// What the report says of the memory of a run.
pub(super) fn memory(regions: &[&GpuRegion], terms: Terms, row: RowBytes, rows: usize, sites: usize) -> Memory {
    let rows = rows as u64;
    let mut memory = Memory::default();
    for region in regions {
        let (data, locks) = region.bytes(terms);
        memory.data += data;
        memory.locks += locks;
    }
    memory.arguments = row.arguments * rows;
    memory.results = row.results * rows;
    memory.bookkeeping = row.bookkeeping * rows + 8 * (Counter::COUNT + sites) as u64;
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
