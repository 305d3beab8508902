//! An open device, as far as its programs need to know it.

use std::sync::atomic::AtomicBool;

use super::context::Context;
use crate::gpu::cache::DiskCache;

/// What programs need to know of their device.
pub(super) struct CudaDevice {
    /// Compute capability: 90 for 9.0.
    pub(super) capability: u32,
    pub(super) processors: u32,
    /// Threads that it can have at once.
    pub(super) threads: u64,
    pub(super) context: Context,
    pub(super) disk: DiskCache,
    /// False once the driver has failed to link.
    pub(super) links: AtomicBool,
}
