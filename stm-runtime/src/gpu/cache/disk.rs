//! The kernel cache on disk: one file for each key, in a private folder.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::Key;
use super::format::{self, HEADER};
use super::listing;
use super::place;
use crate::gpu::folder::{Folder, Unfit};

/// A folder of compiled kernels, if there is one.
pub(crate) struct DiskCache {
    folder: Option<PathBuf>,
    /// The maximum bytes of all kernels together. Beyond it, the least recently used are removed.
    limit: u64,
}

/// The result of a lookup.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Hit {
    Found(Vec<u8>),
    Missing,
    /// A file exists but is not used. The text gives the reason and a remedy. A later `put` replaces the file.
    Refused(String),
}

impl DiskCache {
    /// Returns the cache that `STM_CACHE` selects.
    pub(crate) fn from_env() -> DiskCache {
        DiskCache { folder: place::folder().ok(), limit: place::LIMIT }
    }

    /// Returns a cache in a folder below `base`.
    #[cfg(test)]
    pub(crate) fn at(base: &Path, limit: u64) -> DiskCache {
        DiskCache { folder: Some(base.join(place::FOLDER)), limit }
    }

    /// Looks a key up.
    pub(crate) fn get(&self, key: Key) -> Hit {
        let Some(path) = &self.folder else { return Hit::Missing };
        match self.read(path, key) {
            Ok(Some(payload)) => Hit::Found(payload),
            Ok(None) => Hit::Missing,
            Err(why) => Hit::Refused(why),
        }
    }

    fn read(&self, path: &Path, key: Key) -> Result<Option<Vec<u8>>, String> {
        let Some(folder) = Folder::open_private(path).map_err(|why| place::unusable(path, &why))? else {
            return Ok(None);
        };
        let name = format::name_of(key);
        let refused = |why: Unfit| format!("{} is not used and is replaced: {why}", folder.path_of(&name).display());
        let Some(file) = folder.file(&name).map_err(refused)? else { return Ok(None) };
        let mut bytes = file.read(self.limit).map_err(refused)?;
        if format::payload(key, &bytes).is_none() {
            return Err(format!("{} is damaged and is replaced", folder.path_of(&name).display()));
        }
        file.touch();
        // In place: there may be no memory for a second copy.
        bytes.drain(..HEADER);
        Ok(Some(bytes))
    }

    /// Removes the kernel of a key that passed every check but could not be used.
    pub(crate) fn discard(&self, key: Key) {
        if let Some(Ok(Some(folder))) = self.folder.as_deref().map(Folder::open_private) {
            let _ = folder.remove(&format::name_of(key));
        }
    }

    /// Stores a kernel. The error is only a message: nothing depends on success.
    pub(crate) fn put(&self, key: Key, payload: &[u8]) -> Result<(), String> {
        let Some(path) = &self.folder else { return Ok(()) };
        let folder = Folder::create_private(path).map_err(|why| place::unusable(path, &why))?;
        let name = format::name_of(key);
        let failed = |why: &dyn std::fmt::Display| format!("cannot write {}: {why}", folder.path_of(&name).display());
        let bytes = (HEADER + payload.len()) as u64;
        if bytes > self.limit {
            return Err(failed(&format!("{} bytes are more than the cache holds", payload.len())));
        }
        folder.write(&name, &[&format::header(key, payload), payload]).map_err(|why| failed(&why))?;
        // Looking through the folder opens every file: for each kernel, that would take as long as compiling it.
        if !has_room(path, bytes) {
            let room = self.limit / SHARE;
            listing::evict(&folder, self.limit - room, &name);
            listing::remove_abandoned(&folder);
            rooms().insert(path.clone(), room);
        }
        Ok(())
    }
}

/// A process writes a 64th of the limit, then it looks through the folder again.
const SHARE: u64 = 64;

/// The bytes that this process may still write into each folder.
fn rooms() -> MutexGuard<'static, BTreeMap<PathBuf, u64>> {
    static ROOMS: Mutex<BTreeMap<PathBuf, u64>> = Mutex::new(BTreeMap::new());
    ROOMS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns whether that many bytes fit into what this process may still write there, and takes them from it.
fn has_room(folder: &Path, bytes: u64) -> bool {
    let left = rooms().get(folder).and_then(|room| room.checked_sub(bytes));
    left.is_some_and(|left| rooms().insert(folder.to_owned(), left).is_some())
}
