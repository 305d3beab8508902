//! A device that runs generated CUDA C: the handle of a driver.

use std::fmt;
use std::sync::Arc;

use super::backend::Driver;
#[cfg(feature = "cuda")]
use super::cuda::{self, CudaBackend};
#[cfg(feature = "emulator")]
use super::emulator::{EmulatorBackend, EmulatorOptions};
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
    pub(super) fn of(backend: Arc<dyn Driver>) -> GpuDevice {
        GpuDevice { backend }
    }

    /// Returns its description for messages.
    pub(crate) fn describe(&self) -> String {
        self.backend.describe()
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
