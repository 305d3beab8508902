//! The places that can run a batch.

use crate::engine::Engine;
use crate::tuning;

/// Where transactions are executed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// On the device, by an engine.
    Device(Engine),
    /// On the cores of the host.
    Host,
}

impl Place {
    /// Returns the place of a method.
    pub(crate) fn of(method: Engine) -> Place {
        if method == tuning::on_host() { Place::Host } else { Place::Device(method) }
    }

    /// Returns the method that runs there.
    pub(crate) fn method(self) -> Engine {
        match self {
            Place::Device(engine) => engine,
            Place::Host => tuning::on_host(),
        }
    }
}
