//! Memory of which each device of a cluster has a copy, for what no device changes. A device reads the arguments of the transactions that it runs, which
//! lie apart: over the links between devices that took three times as long as the transactions (four H200s, docs/results).

use std::ops::Range;
use std::sync::Arc;

use crate::error::GpuError;
use crate::gpu::backend::{DeviceBuffer, Driver};

/// A copy for each device.
pub(crate) struct Copies {
    buffer: DeviceBuffer,
    /// Bytes from one copy to the next one.
    pub(crate) pitch: u64,
    pub(crate) are_filled: bool,
}

impl Copies {
    /// Allocates memory for that many bytes on each device. Returns `None` where there is one device, or little memory.
    pub(crate) fn new(backend: &Arc<dyn Driver>, what: &'static str, bytes: usize) -> Option<Copies> {
        let cluster = backend.limits().cluster;
        if cluster.devices == 1 || bytes == 0 {
            return None;
        }
        // Less memory than that would all be on one device.
        let least = usize::try_from(cluster.divided).ok()?.div_ceil(cluster.devices);
        let all = bytes.max(least).checked_next_multiple_of(cluster.page)?.checked_mul(cluster.devices)?;
        let buffer = DeviceBuffer::new(backend, what, all).ok()?;
        let pitch = buffer.part()? as u64;
        Some(Copies { buffer, pitch, are_filled: false })
    }

    /// Copies these bytes of other memory, where what is copied begins at `first`, to each device.
    pub(crate) fn fill(&mut self, from: &DeviceBuffer, first: usize, ranges: &[Range<usize>]) -> Result<(), GpuError> {
        self.buffer.copy_to_each(from, first, ranges)?;
        self.are_filled = true;
        Ok(())
    }

    /// Returns the address of the first device's copy.
    pub(crate) fn address(&self) -> u64 {
        self.buffer.address()
    }

    /// Returns the bytes of all copies.
    pub(crate) fn bytes(&self) -> u64 {
        self.buffer.bytes() as u64
    }
}
