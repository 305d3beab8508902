//! The location of the cache, and its state for tools.

use std::env;
use std::path::{Path, PathBuf};

use etcetera::BaseStrategy;

use super::listing;
use crate::gpu::folder::{Folder, Unfit};

/// The cache's own folder, below the one that the user names. The digit is the version of the format: kernels of other versions
/// are neither read nor removed.
pub(super) const FOLDER: &str = "gpu-stm-kernels-v2";

/// The maximum bytes of all kernels.
pub(super) const LIMIT: u64 = 256 << 20;

/// The reason why no kernels are kept.
pub(super) enum NoFolder {
    SwitchedOff,
    NoHome,
}

/// Returns the folder of the kernels: below the path in `STM_CACHE` (`off` for none), or else below `gpu-stm` in the user's cache
/// folder.
pub(super) fn folder() -> Result<PathBuf, NoFolder> {
    let base = match env::var_os("STM_CACHE") {
        Some(value) if value == "off" => return Err(NoFolder::SwitchedOff),
        Some(value) if !value.is_empty() => PathBuf::from(value),
        _ => etcetera::choose_base_strategy().map_err(|_| NoFolder::NoHome)?.cache_dir().join("gpu-stm"),
    };
    // Make it absolute: the program may change its working folder later.
    Ok(std::path::absolute(&base).unwrap_or(base).join(FOLDER))
}

/// Explains why the folder is not used, and gives a remedy.
///
/// A folder of another user is to be removed, not given to this user: this user would then own, and run, files that the other
/// user put into it.
pub(super) fn unusable(folder: &Path, why: &Unfit) -> String {
    let mend = match why {
        Unfit::WrongOwner { .. } => "remove it, or ",
        Unfit::WritableByOthers { .. } => "take that right away (`chmod go-w`), or ",
        _ => "",
    };
    format!("the folder {} is not used: {why}; {mend}name another one in STM_CACHE", folder.display())
}

/// The state of the kernel cache on disk, for tools.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct KernelCache {
    /// The cache's own folder, below the path in `STM_CACHE`, or below `gpu-stm` in the user's cache
    /// folder. `None` where no kernels are kept.
    pub folder: Option<PathBuf>,
    /// The number of kernels.
    pub files: u64,
    /// Their size in bytes.
    pub bytes: u64,
    /// The maximum size in bytes. Beyond it, the least recently used kernels are removed.
    pub limit: u64,
    /// Why the folder is not used, and a remedy. `None` where it is used, does not exist yet, or is switched off.
    pub trouble: Option<String>,
}

impl KernelCache {
    /// Returns the state of the cache at this moment. Changes nothing.
    #[must_use]
    pub fn look() -> KernelCache {
        let none = KernelCache { folder: None, files: 0, bytes: 0, limit: LIMIT, trouble: None };
        match folder() {
            Ok(folder) => KernelCache::of(folder),
            Err(NoFolder::SwitchedOff) => none,
            Err(NoFolder::NoHome) => {
                let trouble = "this user has no home folder to keep kernels in; name a folder in STM_CACHE";
                KernelCache { trouble: Some(trouble.into()), ..none }
            }
        }
    }

    pub(super) fn of(path: PathBuf) -> KernelCache {
        let (found, trouble) = match Folder::open_private(&path) {
            Ok(folder) => (folder.map(|folder| listing::kernels(&folder)).unwrap_or_default(), None),
            Err(why) => (Vec::new(), Some(unusable(&path, &why))),
        };
        let bytes = found.iter().map(|kernel| kernel.bytes).sum();
        KernelCache { folder: Some(path), files: found.len() as u64, bytes, limit: LIMIT, trouble }
    }
}
