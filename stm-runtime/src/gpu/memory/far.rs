//! The places of a launch that are no parameters of its kernel: a kernel takes few bytes of them.

use std::sync::Arc;

use kernels_gen::abi::launch::{self, ArrayAddress, Launch};

use crate::backend::Job;
use crate::error::GpuError;
use crate::gpu::backend::{DeviceBuffer, Driver, HostSlice};

/// Device memory for those places; none in most batches.
pub(crate) struct FarPlaces(Option<DeviceBuffer>);

impl FarPlaces {
    pub(crate) fn new(backend: &Arc<dyn Driver>, job: &Job<'_>) -> Result<FarPlaces, GpuError> {
        let bytes = launch::far_bytes(job.columns.len() + usize::from(job.rows.is_some()), job.arrays.len());
        let new = || DeviceBuffer::new(backend, "the addresses of arrays and arguments", bytes);
        (bytes > 0).then(new).transpose().map(FarPlaces)
    }

    /// Returns the device address; 0 if there are none.
    pub(crate) fn address(&self) -> u64 {
        self.0.as_ref().map_or(0, DeviceBuffer::address)
    }

    /// Uploads the addresses.
    pub(crate) fn upload(&self, columns: &[u64], arrays: &[ArrayAddress]) -> Result<(), GpuError> {
        let Some(buffer) = &self.0 else { return Ok(()) };
        let places = Launch { columns: columns.to_vec(), arrays: arrays.to_vec(), ..Launch::default() };
        buffer.upload(0, HostSlice::U64(&places.far_words()))
    }
}
