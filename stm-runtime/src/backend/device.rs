//! The handle of a device.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::array::DeviceId;
use super::interface::Backend;
use crate::tuning::Selection;

/// A GPU, or CPU threads. Clones are the same device.
///
/// `Display` prints the description and the reason for the choice.
#[derive(Clone)]
pub struct Device {
    inner: Arc<Inner>,
    /// The engine of this handle's batches, unless it is the default.
    engine: Option<Arc<Selection>>,
}

struct Inner {
    id: DeviceId,
    backend: Box<dyn Backend>,
    reason: String,
}

impl Device {
    /// Returns a handle; `reason` is its description with the reason for the choice.
    pub(crate) fn new(backend: impl Backend + 'static, reason: String) -> Device {
        static DEVICES: AtomicU64 = AtomicU64::new(0);
        let id = DeviceId(DEVICES.fetch_add(1, Ordering::Relaxed));
        Device { inner: Arc::new(Inner { id, backend: Box::new(backend), reason }), engine: None }
    }

    /// Returns a handle of the same device whose batches run with this engine.
    pub(crate) fn starting_with(&self, selection: Selection) -> Device {
        Device { inner: self.inner.clone(), engine: Some(Arc::new(selection)) }
    }

    /// Returns the engine of the runs whose options name none.
    pub(crate) fn selection(&self) -> Selection {
        self.engine.as_deref().cloned().unwrap_or_default()
    }

    /// Returns the description of the device and the reason for the choice.
    #[must_use]
    pub fn reason(&self) -> &str {
        &self.inner.reason
    }

    /// Returns the back end.
    pub(crate) fn backend(&self) -> &dyn Backend {
        &*self.inner.backend
    }

    /// Returns the identity of the device.
    pub(crate) fn id(&self) -> DeviceId {
        self.inner.id
    }
}
