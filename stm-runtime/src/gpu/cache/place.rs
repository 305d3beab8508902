//! Where the cache is, and what tools show of it.

use std::env;
use std::path::{Path, PathBuf};

use etcetera::BaseStrategy;

use super::listing;
use crate::gpu::folder::{Folder, Unfit};

/// The cache's own folder, below the one that the user names. The digit is the version of the format: kernels of other versions
/// are neither read nor removed.
pub(super) const FOLDER: &str = "gpu-stm-kernels-v2";

/// Bytes that the kernels take at most.
pub(super) const LIMIT: u64 = 256 << 20;

/// Why no kernels are kept.
pub(super) enum NoFolder {
    SwitchedOff,
    NoHome,
}

/// Returns the folder of the kernels: below what `STM_CACHE` names (`off` for none), or else below `gpu-stm` in the user's cache
/// folder.
pub(super) fn folder() -> Result<PathBuf, NoFolder> {
    let base = match env::var_os("STM_CACHE") {
        Some(value) if value == "off" => return Err(NoFolder::SwitchedOff),
        Some(value) if !value.is_empty() => PathBuf::from(value),
        _ => etcetera::choose_base_strategy().map_err(|_| NoFolder::NoHome)?.cache_dir().join("gpu-stm"),
    };
    // The program may change its working folder later on.
    Ok(std::path::absolute(&base).unwrap_or(base).join(FOLDER))
}

/// Says why the folder is not used, and what to do.
///
/// A folder of another user is to be removed. Its new owner would own what the other user put into it, too, and run it.
pub(super) fn unusable(folder: &Path, why: &Unfit) -> String {
    let mend = match why {
        Unfit::WrongOwner { .. } => "remove it, or ",
        Unfit::WritableByOthers { .. } => "take that right away (`chmod go-w`), or ",
        _ => "",
    };
    format!("the folder {} is not used: {why}; {mend}name another one in STM_CACHE", folder.display())
}

/// The compiled kernels that are kept on disk, for tools that show what is there.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct KernelCache {
    /// Where they are: in a folder of their own below the one that `STM_CACHE` names, or below `gpu-stm` in the user's cache
    /// folder. `None` where none are kept.
    pub folder: Option<PathBuf>,
    /// How many there are.
    pub files: u64,
    /// Their size in bytes.
    pub bytes: u64,
    /// Bytes. Beyond that size, the least recently used are removed.
    pub limit: u64,
    /// Why the folder is not used, and what to do about it. `None` where it is used, is not there yet, or is switched off.
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
