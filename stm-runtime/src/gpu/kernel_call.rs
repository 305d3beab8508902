//! Kernels and how they are launched.

use std::time::Duration;

use crate::error::GpuError;

/// A kernel and how it is launched.
#[derive(Clone, Copy)]
pub(crate) struct KernelCall<'a> {
    pub(crate) entry: &'static str,
    pub(crate) shape: Shape,
    /// The parameter block; every address in it must be of a live allocation of the same device.
    pub(crate) parameters: &'a [u64],
    /// Parameters that are addresses in memory of which each device of a cluster has a copy, and the bytes from the copy of one device to that
    /// of the next one. They are those of the first device.
    pub(crate) copied: &'a [(usize, u64)],
}

impl KernelCall<'_> {
    /// Returns the parameters for a device of a cluster.
    pub(crate) fn parameters_on(&self, device: usize) -> Vec<u64> {
        let mut parameters = self.parameters.to_vec();
        // The address of row 0 may lie before the memory.
        let add = |(at, pitch): &(usize, u64)| parameters[*at] = parameters[*at].wrapping_add(pitch * device as u64);
        self.copied.iter().for_each(add);
        parameters
    }
}

/// The part of a launch's grid that one device of a cluster runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct GridPart {
    pub(crate) first: u32,
    pub(crate) blocks: u32,
    /// The blocks of all devices.
    pub(crate) all: u32,
}

/// A launch with what it finds and leaves at the beginning of an allocation.
pub(crate) struct Exchange<'a> {
    pub(crate) call: KernelCall<'a>,
    /// Bytes that are written before the launch.
    pub(crate) up: usize,
    /// Writes them.
    pub(crate) write: &'a dyn Fn(&mut [u8]),
    /// Takes what is there after the launch.
    pub(crate) down: &'a mut [u8],
}

/// A kernel that has been started. When this is dropped, the kernel has ended.
pub(crate) struct Started(pub(in crate::gpu) Box<dyn FnOnce() -> Result<Duration, GpuError>>);

impl Started {
    /// Waits for the end of the kernel, and returns its time on the device.
    pub(crate) fn wait(self) -> Result<Duration, GpuError> {
        (self.0)()
    }
}

/// Blocks, threads of each block, and bytes of shared memory of each block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Shape {
    pub(crate) grid: u32,
    pub(crate) block: u32,
    pub(crate) shared: u32,
}

impl Shape {
    pub(crate) fn threads(self) -> u64 {
        u64::from(self.grid) * u64::from(self.block)
    }
}
