//! Devices that run generated CUDA C: GPUs, and the emulator. One run loop for both.
//!
//! `unsafe` is in `cuda/` and `emulator/` alone.
// Without a back end all of this is unreachable, but it still has to compile.
#![cfg_attr(not(any(feature = "cuda", feature = "emulator")), allow(dead_code))]

mod ahead;
mod allocation;
mod backend;
mod cache;
mod cluster;
#[cfg(feature = "cuda")]
pub(crate) mod cuda;
mod device;
mod dump;
#[cfg(feature = "emulator")]
mod emulator;
mod executor;
mod folder;
mod host;
mod host_memory;
mod kernel_call;
mod limits;
mod loaded;
mod making;
mod memory;
mod planned;
pub mod raw;
mod refusal;
mod schedule;
mod spread;
mod trial;
mod unit;

pub use cache::KernelCache;
pub(crate) use device::GpuDevice;
#[cfg(feature = "emulator")]
pub use emulator::{EmulatorOptions, Sanitizer, Schedule};
pub(crate) use unit::{source_of_batch, source_of_procedure};

/// The unit tests for mutation testing.
#[cfg(feature = "mutation")]
pub(crate) const CASES: &[&[crate::mutation::Case]] = &[
    schedule::climb::tests::CASES,
    schedule::contention::tests::CASES,
    schedule::remembered::tests::CASES,
    schedule::window::tests::CASES,
    memory::partitions::tests::CASES,
    memory::layout::tests::CASES,
    memory::array::tests::CASES,
    memory::chunks::tests::CASES,
    memory::chunks::few::tests::CASES,
    memory::histories::tests::CASES,
    memory::rows::tests::CASES,
    memory::unordered::tests::CASES,
];

#[cfg(all(test, feature = "emulator"))]
mod tests;
