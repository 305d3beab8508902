//! The flags that end a run early.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The flags that end a run early.
#[derive(Debug, Clone, Default)]
pub(crate) struct StopFlags {
    /// That of the options.
    pub(crate) user: Option<Arc<AtomicBool>>,
    /// That of a run in the background.
    pub(crate) handle: Option<Arc<AtomicBool>>,
}

impl StopFlags {
    /// Returns whether there are flags.
    pub(crate) fn is_some(&self) -> bool {
        self.user.is_some() || self.handle.is_some()
    }

    /// Returns whether one is set.
    #[inline]
    pub(crate) fn is_set(&self) -> bool {
        [&self.user, &self.handle].into_iter().flatten().any(|flag| flag.load(Ordering::Relaxed))
    }
}
