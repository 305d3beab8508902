//! The cache of compiled kernels: in memory for this process, on disk for the next.
//!
//! The cache only saves time. Trouble with the disk costs a compilation, never a run: a file that fails verification is not
//! used and is replaced, and a failed write is skipped.
//!
//! The cache keeps machine code, which this process will run. So its folder and its files must be private to this user
//! (`gpu/folder`), and it reads, counts and removes only files that it wrote, which it recognises by name and header.

mod disk;
mod format;
mod listing;
mod place;
mod units;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use sha2::{Digest, Sha256};

#[cfg(any(feature = "cuda", feature = "emulator"))]
pub(crate) use disk::{DiskCache, Hit};
pub use place::KernelCache;
pub(crate) use units::Outline;
#[cfg(any(feature = "cuda", feature = "emulator"))]
pub(crate) use units::UnitCache;

/// The key of a compiled kernel: a hash of all its inputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Key([u8; 32]);

impl Key {
    /// Returns the key of those parts. Each is hashed with its length, so that different lists of parts have different input.
    pub(crate) fn of(parts: &[&str]) -> Key {
        let mut hash = Sha256::new();
        for part in parts {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part.as_bytes());
        }
        Key(hash.finalize().into())
    }

    pub(crate) fn hex(&self) -> String {
        self.0.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// Returns a prefix that is long enough to tell files apart.
    pub(crate) fn short(&self) -> String {
        self.hex()[..16].to_owned()
    }
}

/// The kernels that this process has compiled.
///
/// Single flight: a thread that needs a key which another thread is compiling waits for that thread. A failure is not kept.
pub(crate) struct MemoryCache<T> {
    slots: Mutex<HashMap<Key, Arc<Mutex<Option<T>>>>>,
}

impl<T: Clone> MemoryCache<T> {
    pub(crate) fn new() -> MemoryCache<T> {
        MemoryCache { slots: Mutex::new(HashMap::new()) }
    }

    pub(crate) fn get_or_make<E>(&self, key: Key, make: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
        // A panic during compilation leaves the slot empty, which is a valid state.
        let slot = self.slots.lock().unwrap_or_else(PoisonError::into_inner).entry(key).or_default().clone();
        let mut slot = slot.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(made) = &*slot {
            return Ok(made.clone());
        }
        let made = make()?;
        *slot = Some(made.clone());
        Ok(made)
    }
}

#[cfg(all(test, any(feature = "cuda", feature = "emulator")))]
mod tests;
