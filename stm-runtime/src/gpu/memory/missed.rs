//! What runs have missed because an array was not where it would have been faster.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// How many nanoseconds faster runs would have been where the elements are not, since they came to where they are.
#[derive(Default)]
pub(crate) struct Missed(AtomicU64);

impl Missed {
    /// Adds the nanoseconds of a run; less than 0 if it would have been slower.
    pub(crate) fn add(&self, nanoseconds: i64) {
        let missed = self.0.load(Ordering::Relaxed).saturating_add_signed(nanoseconds);
        self.0.store(missed, Ordering::Relaxed);
    }

    /// Returns the sum.
    pub(crate) fn sum(&self) -> Duration {
        Duration::from_nanos(self.0.load(Ordering::Relaxed))
    }

    /// Begins anew, as the elements have moved.
    pub(super) fn forget(&self) {
        self.0.store(0, Ordering::Relaxed);
    }
}
