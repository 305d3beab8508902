//! How the transactions of a chunk reach the device.

use std::mem;

use super::run::Run;
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

impl Run<'_, '_> {
    /// Returns how a chunk reaches the device. Stages before the execution see all transactions, and so do engines with groups of them.
    pub(super) fn coming<'c>(&self, placed: &'c [Placed<'c>]) -> Coming<'c> {
        let is_alone = self.visits.is_empty() && !self.has_groups();
        if is_alone && self.buffers.is_small(self.request.limits) { Coming::Along(placed) } else { Coming::There }
    }
}
