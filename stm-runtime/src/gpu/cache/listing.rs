//! The files in the cache's folder, and their eviction.

use std::io;
use std::time::{Duration, SystemTime};

use super::format::{self, HEADER};
use crate::gpu::folder::{Folder, UNFINISHED};

/// The age from which an unfinished file counts as abandoned: writing one takes seconds at most.
const ABANDONED: Duration = Duration::from_secs(3600);

/// A cached kernel.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct CachedKernel {
    pub(super) used: SystemTime,
    pub(super) bytes: u64,
    pub(super) name: String,
}

/// Returns all files that the cache has written there. Other files are not counted, whatever their names.
pub(super) fn kernels(folder: &Folder) -> Vec<CachedKernel> {
    let names = folder.names().unwrap_or_default().into_iter();
    names.filter(|name| format::is_name(name)).filter_map(|name| cached_kernel(folder, name)).collect()
}

fn cached_kernel(folder: &Folder, name: String) -> Option<CachedKernel> {
    let file = folder.file(&name).ok()??;
    let head = file.head(HEADER as u64).ok()?;
    format::is_ours(&name, &head).then_some(())?;
    Some(CachedKernel { used: file.changed().ok()?, bytes: file.bytes, name })
}

/// Removes the least recently used kernels until the rest is within the limit. Never removes the kernel just written.
pub(super) fn evict(folder: &Folder, limit: u64, newest: &str) {
    let mut kernels = kernels(folder);
    let mut total: u64 = kernels.iter().map(|kernel| kernel.bytes).sum();
    kernels.sort();
    for kernel in kernels {
        if total <= limit {
            break;
        }
        // Another process may remove the same kernel first, with the same effect.
        let is_gone =
            |removed: io::Result<()>| removed.map_or_else(|why| why.kind() == io::ErrorKind::NotFound, |()| true);
        if kernel.name != newest && is_gone(folder.remove(&kernel.name)) {
            total -= kernel.bytes;
        }
    }
}

/// Removes the unfinished files of writers that died.
pub(super) fn remove_abandoned(folder: &Folder) {
    let names = folder.names().unwrap_or_default().into_iter();
    for name in names.filter(|name| name.starts_with(UNFINISHED)) {
        let Ok(Some(file)) = folder.file(&name) else { continue };
        let age = file.changed().ok().and_then(|changed| SystemTime::now().duration_since(changed).ok());
        if age.is_some_and(|age| age > ABANDONED) {
            let _ = folder.remove(&name);
        }
    }
}
