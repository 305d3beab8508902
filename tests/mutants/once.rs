//! Results that several mutants need, each computed once.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Computed results by key.
pub(crate) struct Once<K, V>(Mutex<BTreeMap<K, Arc<OnceLock<V>>>>);

impl<K: Ord, V: Clone> Once<K, V> {
    pub(crate) const fn new() -> Once<K, V> {
        Once(Mutex::new(BTreeMap::new()))
    }

    /// Returns a known result, or computes it. Threads that need the same result wait for it; others do not.
    pub(crate) fn get(&self, key: K, find: impl FnOnce() -> V) -> V {
        let entry = self.0.lock().unwrap_or_else(PoisonError::into_inner).entry(key).or_default().clone();
        entry.get_or_init(find).clone()
    }
}
