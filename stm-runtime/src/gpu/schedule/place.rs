//! The places that can run a batch.

use crate::engine::Engine;

/// Where transactions are executed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// On the device, by an engine.
    Device(Engine),
    /// On the cores of the host.
    Host,
}
