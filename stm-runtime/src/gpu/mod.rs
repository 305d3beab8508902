//! Devices that run generated CUDA C: GPUs, and the emulator. One run loop for both.
//!
//! `unsafe` is in `cuda/` and `emulator/` alone.
// Without a back end nothing here can be reached, and all of it still has to compile.
#![cfg_attr(not(any(feature = "cuda", feature = "emulator")), allow(dead_code))]

mod array;
mod backend;
mod cache;
mod capacity;
mod chunks;
mod contention;
#[cfg(feature = "cuda")]
pub(crate) mod cuda;
mod dump;
#[cfg(feature = "emulator")]
mod emulator;
mod error;
mod folder;
mod geometry;
mod hottest;
mod launches;
mod layout;
mod lines;
mod partitions;
mod plan;
pub mod raw;
mod run;
mod run_state;
mod trial;
mod unit;

use std::fmt;
use std::sync::Arc;

use backend::Backend;

pub(crate) use array::GpuArray;
pub use cache::KernelCache;
#[cfg(feature = "emulator")]
pub use emulator::{EmulatorOptions, Sanitizer, Schedule};
pub use error::GpuError;
pub(crate) use run::{compile, run};
pub(crate) use unit::source_of_procedure;

/// A device that is open.
#[derive(Clone)]
pub(crate) struct GpuDevice {
    backend: Arc<dyn Backend>,
}

impl GpuDevice {
    /// The CUDA device of that number.
    #[cfg(feature = "cuda")]
    pub(crate) fn cuda(ordinal: usize) -> Result<GpuDevice, GpuError> {
        Ok(GpuDevice { backend: cuda::CudaBackend::open(ordinal)? })
    }

    /// Says that there is no CUDA in this build.
    #[cfg(not(feature = "cuda"))]
    pub(crate) fn cuda(_: usize) -> Result<GpuDevice, GpuError> {
        Err(GpuError::NotBuilt)
    }

    /// Host threads under a shim of CUDA C.
    #[cfg(feature = "emulator")]
    pub(crate) fn emulated(options: EmulatorOptions) -> Result<GpuDevice, GpuError> {
        Ok(GpuDevice { backend: Arc::new(emulator::EmulatorBackend::open(options)?) })
    }

    /// What it is, for people.
    pub(crate) fn describe(&self) -> String {
        self.backend.describe()
    }

    fn backend(&self) -> Arc<dyn Backend> {
        self.backend.clone()
    }
}

impl fmt::Debug for GpuDevice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "GpuDevice({})", self.describe())
    }
}

/// The unit tests that the hunt for mutants runs.
#[cfg(feature = "mutation")]
pub(crate) const CASES: &[&[crate::mutation::Case]] =
    &[contention::tests::CASES, partitions::tests::CASES, layout::tests::CASES, chunks::tests::CASES];

#[cfg(all(test, feature = "emulator"))]
mod tests;
