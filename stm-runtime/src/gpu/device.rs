//! A device that runs generated CUDA C: the handle of a driver.

use std::fmt;
use std::sync::Arc;

use kernels_gen::device::Layout;

use super::backend::Driver;
#[cfg(feature = "cuda")]
use super::cuda::{self, CudaBackend};
#[cfg(feature = "emulator")]
use super::emulator::{EmulatorBackend, EmulatorOptions};
use super::memory::layout;
use crate::backend::{Array, Job};
use crate::error::GpuError;

/// An open device.
#[derive(Clone)]
pub(crate) struct GpuDevice {
    backend: Arc<dyn Driver>,
}

impl GpuDevice {
    /// Opens the CUDA device of that number.
    #[cfg(feature = "cuda")]
    pub(crate) fn cuda(ordinal: usize) -> Result<GpuDevice, GpuError> {
        Ok(GpuDevice { backend: CudaBackend::open(ordinal)? })
    }

    /// Opens several CUDA devices as one; no numbers mean all. `always`: every launch is on all of them.
    #[cfg(feature = "cuda")]
    pub(crate) fn cluster(ordinals: &[usize], always: bool) -> Result<GpuDevice, GpuError> {
        Ok(GpuDevice { backend: cuda::cluster(ordinals, always)? })
    }

    /// Returns the error that this build has no CUDA.
    #[cfg(not(feature = "cuda"))]
    pub(crate) fn cluster(_: &[usize], _: bool) -> Result<GpuDevice, GpuError> {
        Err(GpuError::NotBuilt)
    }

    /// Returns the error that this build has no CUDA.
    #[cfg(not(feature = "cuda"))]
    pub(crate) fn cuda(_: usize) -> Result<GpuDevice, GpuError> {
        Err(GpuError::NotBuilt)
    }

    /// Returns an emulated device on host threads.
    #[cfg(feature = "emulator")]
    pub(crate) fn emulated(options: EmulatorOptions) -> Result<GpuDevice, GpuError> {
        Ok(GpuDevice { backend: EmulatorBackend::cluster(options)? })
    }

    /// Returns the device of a driver.
    #[cfg(all(test, feature = "emulator"))]
    pub(super) fn of(backend: Arc<dyn Driver>) -> GpuDevice {
        GpuDevice { backend }
    }

    /// Returns its description for messages.
    pub(crate) fn describe(&self) -> String {
        self.backend.describe()
    }

    /// Returns the device that runs a job: of a cluster the first one alone, if that has all elements and some are written. The others
    /// would change them over the links between the devices, and all of them wait for each other.
    pub(super) fn for_job(&self, job: &Job<'_>) -> GpuDevice {
        let Some((first, divided)) = self.backend.alone() else { return self.clone() };
        let bytes = |array: &Array| layout::data_bytes(Layout::Cells, array.scalar(), array.len()) as u64;
        let is_small = job.arrays.iter().all(|array| bytes(array) < divided);
        let is_alone = is_small && job.procedures.iter().any(|procedure| !procedure.spec.facts.read_only);
        if is_alone { GpuDevice { backend: first } } else { self.clone() }
    }

    pub(super) fn backend(&self) -> Arc<dyn Driver> {
        self.backend.clone()
    }
}

impl fmt::Debug for GpuDevice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "GpuDevice({})", self.describe())
    }
}
