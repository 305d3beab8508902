//! What the kernels of a profiled run count, on the device.

use std::sync::Arc;

use kernels_gen::abi::profile::ProfileLayout;

use crate::backend::Job;
use crate::error::GpuError;
use crate::gpu::backend::{DeviceBuffer, Driver, HostSliceMut};
use crate::memory;

/// The counts on the device.
pub(crate) struct Profile {
    pub(crate) layout: ProfileLayout,
    words: DeviceBuffer,
}

impl Profile {
    pub(crate) fn new(backend: &Arc<dyn Driver>, job: &Job<'_>) -> Result<Profile, GpuError> {
        let layout = ProfileLayout::of(job.procedures.iter().map(|procedure| procedure.spec.locations.len()));
        let words = DeviceBuffer::zeroed(backend, "conflict counters", 8 * layout.words())?;
        Ok(Profile { layout, words })
    }

    pub(crate) fn address(&self) -> u64 {
        self.words.address()
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.words.bytes() as u64
    }

    /// Returns all words.
    pub(crate) fn download(&self) -> Result<Vec<u64>, GpuError> {
        let mut words = memory::zeroed("a report", self.layout.words())?;
        self.words.download(0, HostSliceMut::U64(&mut words))?;
        Ok(words)
    }
}
