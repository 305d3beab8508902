//! Compiled units on a device.

use std::any::Any;
use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use super::cache::Outline;
use super::kernel_call::{GridPart, KernelCall, Shape, Started};
use super::making::Making;
use crate::error::GpuError;
use crate::outcome::{CompileTimes, Origin};

/// A compiled unit on a device.
pub(crate) trait Executable: Any + Send + Sync {
    /// Returns the number of blocks of that many threads and bytes of shared memory that the whole device holds of a kernel at
    /// once.
    /// Engines may let threads wait for each other only within that number.
    fn resident_blocks(&self, entry: &'static str, block: u32, shared: u32) -> Result<u32, GpuError>;

    /// Returns the bytes of device memory that the first launch of a kernel takes, and keeps, for thread-local memory: the device
    /// provides for as many threads as it can ever have, whatever the launch.
    fn scratch(&self, entry: &'static str) -> Result<u64, GpuError>;

    /// Starts a kernel, after everything that the device has been given before.
    fn start(&self, call: KernelCall<'_>) -> Result<Started, GpuError>;

    /// Starts the part of a kernel's grid that this device of a cluster has. The unit is one of clusters.
    fn start_part(&self, call: KernelCall<'_>, part: GridPart) -> Result<Started, GpuError>;

    /// Returns the same with these kernels on the first device of a cluster, as `alone` has them; `None` where there is no other device.
    fn on_first(&self, _entries: &[&'static str], _alone: Arc<dyn Executable>) -> Option<Arc<dyn Executable>> {
        None
    }

    /// Runs a kernel to its end and returns the time on the device.
    fn launch(&self, entry: &'static str, shape: Shape, parameters: &[u64]) -> Result<Duration, GpuError> {
        self.start(KernelCall { entry, shape, parameters, copied: &[] })?.wait()
    }
}

/// A loaded program, and how it was obtained.
#[derive(Clone)]
pub(crate) struct Loaded {
    pub(crate) program: Arc<dyn Executable>,
    /// Empty for a text.
    pub(crate) outline: Arc<Outline>,
    /// Notes for users, each once: compiler warnings, trouble with the cache. Empty for a program that this
    /// process had loaded before.
    pub(crate) notes: Vec<String>,
    /// Where it comes from.
    pub(crate) origin: Origin,
    /// Where the time went.
    pub(crate) times: CompileTimes,
}

impl Loaded {
    pub(crate) fn new(program: Arc<dyn Executable>, outline: Arc<Outline>, making: Making) -> Loaded {
        let (times, Making { mut notes, origin, .. }) = (making.times(), making);
        // Trouble with the cache's folder is the same for every part of a unit: report it once.
        let mut reported = HashSet::new();
        notes.retain(|note| reported.insert(note.clone()));
        Loaded { program, outline, notes, origin, times }
    }
}
