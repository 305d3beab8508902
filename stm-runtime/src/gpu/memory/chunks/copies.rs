//! The arguments of a chunk in the memory of each device of a cluster. A device reads those of the transactions that it runs, which lie apart: over
//! the links between devices that took three times as long as the transactions (four H200s, docs/results).

use std::ops::Range;
use std::sync::Arc;

use crate::error::GpuError;
use crate::gpu::backend::{DeviceBuffer, Driver};

/// A copy for each device.
pub(super) struct ArgumentCopies {
    buffer: DeviceBuffer,
    /// Bytes from one copy to the next one.
    pub(super) pitch: u64,
    /// Whether they have the arguments of the chunk.
    pub(super) are_filled: bool,
}

impl ArgumentCopies {
    /// Allocates memory for that many bytes on each device. Returns `None` where there is one device, or little memory, or where that is so
    /// few bytes that one device has them.
    pub(super) fn new(backend: &Arc<dyn Driver>, bytes: usize) -> Option<ArgumentCopies> {
        let cluster = backend.limits().cluster;
        if cluster.devices == 1 || bytes == 0 || (bytes as u64) < cluster.divided {
            return None;
        }
        let all = bytes.checked_next_multiple_of(cluster.page)?.checked_mul(cluster.devices)?;
        let buffer = DeviceBuffer::new(backend, "transactions", all).ok()?;
        let pitch = buffer.part()? as u64;
        Some(ArgumentCopies { buffer, pitch, are_filled: false })
    }

    /// Copies these bytes of the chunk's memory, where the arguments begin at `first`, to each device.
    pub(super) fn fill(&mut self, block: &DeviceBuffer, first: usize, ranges: &[Range<usize>]) -> Result<(), GpuError> {
        self.buffer.copy_to_each(block, first, ranges)?;
        self.are_filled = true;
        Ok(())
    }

    /// Returns the address of the first device's copy.
    pub(super) fn address(&self) -> u64 {
        self.buffer.address()
    }
}
