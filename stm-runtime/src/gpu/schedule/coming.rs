//! How the transactions of a chunk reach the device.

use std::mem;

use crate::gpu::memory::chunks::Placed;

/// The columns of a chunk before its first launch.
#[derive(Debug, Clone, Copy)]
pub(super) enum Coming<'c> {
    /// They are on the device.
    There,
    /// They travel with the launch.
    Along(&'c [Placed<'c>]),
}

impl Coming<'_> {
    /// Takes it for the first launch; later ones find the columns on the device.
    pub(super) fn take(&mut self) -> Self {
        mem::replace(self, Coming::There)
    }
}
