//! Devices that run generated CUDA C: GPUs, and the emulator. One run loop for both.
//!
//! `unsafe` is in `cuda/` and `emulator/` alone.
// Without a back end all of this is unreachable, but it still has to compile.
#![cfg_attr(not(any(feature = "cuda", feature = "emulator")), allow(dead_code))]

mod array;
mod backend;
mod cache;
mod capacity;
mod chunks;
mod contention;
#[cfg(feature = "cuda")]
pub(crate) mod cuda;
mod device;
mod dump;
#[cfg(feature = "emulator")]
mod emulator;
mod executor;
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
mod transactions;
mod trial;
mod unit;

pub use cache::KernelCache;
pub(crate) use device::GpuDevice;
#[cfg(feature = "emulator")]
pub use emulator::{EmulatorOptions, Sanitizer, Schedule};
pub(crate) use unit::source_of_procedure;

/// The unit tests for mutation testing.
#[cfg(feature = "mutation")]
pub(crate) const CASES: &[&[crate::mutation::Case]] =
    &[contention::tests::CASES, partitions::tests::CASES, layout::tests::CASES, chunks::tests::CASES];

#[cfg(all(test, feature = "emulator"))]
mod tests;
