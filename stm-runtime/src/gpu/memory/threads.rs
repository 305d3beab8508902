//! The engine's memory for the threads that run transactions, such as the logs of long transactions.
//!
//! It is in the memory of the blocks where that has room for all of a launch, because that is faster. Otherwise a small one is local
//! memory, and a large one is allocated for the threads of the run and not for all that the device can hold. That is limited: where
//! transactions are long, fewer threads run.

use std::sync::Arc;

use kernels_gen::device::{DECLARED_BLOCK_BYTES, Extent, LOCAL_BYTES, Scope, Tuned};

use crate::backend::Job;
use crate::error::GpuError;
use crate::gpu::backend::{DeviceBuffer, Driver, Executable, Limits, MemoryInfo, SETS, Shape};

/// The most bytes for the threads of a run.
const MOST: u64 = 1 << 30;
/// The most of it, as a part of the free memory.
const PART: u64 = 4;
/// Bytes of a granule: see `stm_worker::memory_of_thread`.
const GRANULE: u64 = 16;

/// Where the memory of the threads of a launch is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ThreadPlace {
    /// The device address; 0 for the memory of the blocks.
    pub(crate) address: u64,
    /// Granules of each thread; 0 for local memory.
    pub(crate) granules: u64,
    /// Bytes of the memory of each block.
    pub(crate) shared: u32,
}

/// The memory of the threads of one run.
pub(crate) struct ThreadMemory {
    buffer: Option<DeviceBuffer>,
    /// Bytes of each thread.
    each: u64,
}

/// Returns the bytes that each thread needs.
pub(crate) fn bytes_each(engine: &Tuned, job: &Job<'_>) -> u64 {
    let extent = |spec| Extent::of_thread(spec, job.options.check, engine.settings);
    let of_each = job.procedures.iter().map(|procedure| engine.bytes(Scope::Thread, extent(procedure.spec)));
    of_each.max().unwrap_or(0)
}

/// Returns the bytes of the memory of the threads that matter for their number.
pub(crate) fn most_bytes(each: u64) -> u64 {
    if each > LOCAL_BYTES { MOST.max(each).saturating_mul(PART) } else { each }
}

/// Returns the most threads that have memory; `None` if they need none of the run's.
pub(crate) fn most_threads(each: u64, memory: MemoryInfo) -> Result<Option<u64>, GpuError> {
    if each > memory.free {
        return Err(GpuError::OutOfMemory { what: SETS, needed: each, free: memory.free });
    }
    Ok((each > LOCAL_BYTES).then(|| (MOST.min(memory.free / PART) / each).max(1)))
}

impl ThreadMemory {
    /// Allocates the memory of that many threads, if it cannot be local memory.
    pub(crate) fn new(backend: &Arc<dyn Driver>, each: u64, threads: u64) -> Result<ThreadMemory, GpuError> {
        let threads = if each > LOCAL_BYTES { threads } else { 0 };
        let bytes = usize::try_from(each.saturating_mul(threads)).unwrap_or(usize::MAX);
        let buffer = (bytes > 0).then(|| DeviceBuffer::new(backend, SETS, bytes)).transpose()?;
        Ok(ThreadMemory { buffer, each })
    }

    /// Returns the place for a launch in which `threads` of each block run transactions. The memory of blocks is chosen only if the
    /// device holds all blocks with it at once.
    pub(crate) fn place(
        &self,
        program: &dyn Executable,
        entry: &'static str,
        (shape, threads): (Shape, u64),
        limits: Limits,
    ) -> Result<ThreadPlace, GpuError> {
        let (granules, address) = (self.each / GRANULE, self.buffer.as_ref().map_or(0, DeviceBuffer::address));
        let bytes = self.each.saturating_mul(threads);
        let has_room = bytes > 0 && bytes.saturating_add(DECLARED_BLOCK_BYTES) <= u64::from(limits.shared);
        let shared = if has_room { bytes as u32 } else { 0 };
        let fits = has_room && program.resident_blocks(entry, shape.block, shared)? >= shape.grid;
        Ok(match fits {
            true => ThreadPlace { address: 0, granules, shared },
            false => ThreadPlace { address, granules: if address == 0 { 0 } else { granules }, shared: 0 },
        })
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.buffer.as_ref().map_or(0, |buffer| buffer.bytes() as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gpu::backend::{ALONG, Cluster, GridPart, HostUse, KernelCall, LISTED_FROM, Started};

    /// A device that holds this number of blocks.
    struct Held(u32);

    impl Executable for Held {
        fn resident_blocks(&self, _: &'static str, _: u32, _: u32) -> Result<u32, GpuError> {
            Ok(self.0)
        }

        fn scratch(&self, _: &'static str) -> Result<u64, GpuError> {
            unreachable!("nothing asks for it")
        }

        fn start(&self, _: KernelCall<'_>) -> Result<Started, GpuError> {
            unreachable!("nothing is launched")
        }

        fn start_part(&self, _: KernelCall<'_>, _: GridPart) -> Result<Started, GpuError> {
            unreachable!("nothing is launched")
        }
    }

    #[test]
    fn logs_lie_in_blocks_where_all_of_them_have_room() {
        let (shape, limits) = (
            Shape { grid: 4, block: 256, shared: 0 },
            Limits {
                block: 256,
                threads: 1024,
                shared: 16 * 1024,
                spread: true,
                host: HostUse::Never,
                along: ALONG,
                cluster: Cluster::ONE,
                lists: LISTED_FROM,
            },
        );
        let place = |each, threads, held| {
            let memory = ThreadMemory { buffer: None, each };
            memory.place(&Held(held), "stm_run", (shape, threads), limits).unwrap()
        };
        let local = ThreadPlace { address: 0, granules: 0, shared: 0 };
        assert_eq!(place(1024, 8, 4), ThreadPlace { address: 0, granules: 64, shared: 8192 });
        assert_eq!(place(1024, 8, 3), local, "the device does not hold every block");
        let most = u64::from(limits.shared) - DECLARED_BLOCK_BYTES;
        assert_eq!(place(most, 1, 4).shared, most as u32);
        assert_eq!(place(most + GRANULE, 1, 4), local, "the kernel declares some memory itself");
        assert_eq!(place(u64::MAX, 8, 4), local);
        assert_eq!(place(0, 8, 4), local);
    }

    #[test]
    fn long_transactions_have_fewer_threads() {
        let memory = MemoryInfo { free: 64 << 30, total: 80 << 30, scratch: 0 };
        assert_eq!(most_threads(0, memory).unwrap(), None);
        assert_eq!(most_threads(LOCAL_BYTES, memory).unwrap(), None);
        assert_eq!(most_threads(1 << 13, memory).unwrap(), Some(1 << 17));
        assert_eq!(most_threads(1 << 30, memory).unwrap(), Some(1));
        let little = MemoryInfo { free: 1 << 20, ..memory };
        assert_eq!(most_threads(1 << 13, little).unwrap(), Some(32));
        assert_eq!(most_threads(1 << 20, little).unwrap(), Some(1));
        let error = most_threads((1 << 20) + 1, little).unwrap_err();
        assert!(error.to_string().contains("`max_accesses`"), "{error}");
    }
}
