//! A device that runs generated CUDA C: the handle on a driver.

use std::fmt;
use std::sync::Arc;

use super::backend::Driver;
#[cfg(feature = "cuda")]
use super::cuda::CudaBackend;
#[cfg(feature = "emulator")]
use super::emulator::{EmulatorBackend, EmulatorOptions};
use crate::error::GpuError;

/// A device that is open.
#[derive(Clone)]
pub(crate) struct GpuDevice {
    backend: Arc<dyn Driver>,
}

impl GpuDevice {
    /// The CUDA device of that number.
    #[cfg(feature = "cuda")]
    pub(crate) fn cuda(ordinal: usize) -> Result<GpuDevice, GpuError> {
        Ok(GpuDevice { backend: CudaBackend::open(ordinal)? })
    }

    /// Says that there is no CUDA in this build.
    #[cfg(not(feature = "cuda"))]
    pub(crate) fn cuda(_: usize) -> Result<GpuDevice, GpuError> {
        Err(GpuError::NotBuilt)
    }

    /// Host threads under a shim of CUDA C.
    #[cfg(feature = "emulator")]
    pub(crate) fn emulated(options: EmulatorOptions) -> Result<GpuDevice, GpuError> {
        Ok(GpuDevice { backend: Arc::new(EmulatorBackend::open(options)?) })
    }

    /// What it is, for people.
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
