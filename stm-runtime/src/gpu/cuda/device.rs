//! The properties of an open device for its programs.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64};

use super::context::{Context, KeptTimers};
use super::kernel_streams::KernelStreams;
use crate::gpu::cache::DiskCache;

/// The properties of a device that programs need.
pub(super) struct CudaDevice {
    /// Compute capability: 90 for 9.0.
    pub(super) capability: u32,
    pub(super) processors: u32,
    /// The most threads that the device holds at once.
    pub(super) threads: u64,
    pub(super) context: Context,
    pub(super) disk: DiskCache,
    /// False once the driver has failed to link.
    pub(super) links: AtomicBool,
    /// Bytes that the driver holds for the threads' own variables: those of the launch that needed the most. It never frees them.
    pub(super) scratch: Arc<AtomicU64>,
    pub(super) timers: Arc<KeptTimers>,
    pub(super) streams: Arc<KernelStreams>,
}
