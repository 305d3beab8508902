//! The cache on disk: one file a key, written beside and moved into place, verified on each read.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use etcetera::BaseStrategy;
use sha2::{Digest, Sha256};

use super::Key;

/// First bytes of each file; the digit is the version of the format.
const MAGIC: &[u8; 8] = b"stmkrnl1";
const CHECKSUM: usize = 32;
const HEADER: usize = MAGIC.len() + CHECKSUM + CHECKSUM;

/// Beyond that, the oldest files go.
const LIMIT: u64 = 256 << 20;

/// A folder of compiled kernels, or none.
pub(crate) struct DiskCache {
    dir: Option<PathBuf>,
    limit: u64,
}

/// What a look into the cache gave.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Hit {
    Found(Vec<u8>),
    Missing,
    /// There was something, and it was no good; it is deleted now. The text says what.
    Spoiled(String),
}

impl DiskCache {
    /// The folder that `STM_CACHE` names (`off` for none), else `gpu-stm` in the user's cache folder.
    pub(crate) fn from_env() -> DiskCache {
        DiskCache { dir: folder(), limit: LIMIT }
    }

    #[cfg(test)]
    pub(crate) fn at(dir: &Path, limit: u64) -> DiskCache {
        DiskCache { dir: Some(dir.to_owned()), limit }
    }

    pub(crate) fn get(&self, key: Key) -> Hit {
        let Some(path) = self.path(key) else { return Hit::Missing };
        let bytes = match fs::read(&path) {
            Ok(bytes) => bytes,
            Err(why) if why.kind() == io::ErrorKind::NotFound => return Hit::Missing,
            Err(why) => return Hit::Spoiled(format!("cannot read {}: {why}", path.display())),
        };
        match payload(key, &bytes) {
            Some(payload) => {
                touch(&path);
                Hit::Found(payload.to_vec())
            }
            None => {
                let _ = fs::remove_file(&path);
                Hit::Spoiled(format!("{} was damaged and is deleted", path.display()))
            }
        }
    }

    /// Forgets a key whose content passed the checksum and was of no use all the same.
    pub(crate) fn discard(&self, key: Key) {
        if let Some(path) = self.path(key) {
            let _ = fs::remove_file(path);
        }
    }

    /// Stores a kernel. The error is for people to read: nothing depends on success.
    pub(crate) fn put(&self, key: Key, payload: &[u8]) -> Result<(), String> {
        let (Some(dir), Some(path)) = (&self.dir, self.path(key)) else { return Ok(()) };
        write(dir, &path, key, payload).map_err(|why| format!("cannot write {}: {why}", path.display()))?;
        self.evict(dir, &path);
        Ok(())
    }

    fn path(&self, key: Key) -> Option<PathBuf> {
        self.dir.as_ref().map(|dir| dir.join(format!("{}.bin", key.hex())))
    }

    /// Deletes the least recently used files until the folder is within its limit; never the file just written.
    fn evict(&self, dir: &Path, newest: &Path) {
        let mut files = kernels(dir);
        let mut total: u64 = files.iter().map(|(_, len, _)| len).sum();
        files.sort();
        for (_, len, path) in files {
            if total <= self.limit {
                break;
            }
            if path != newest && fs::remove_file(&path).is_ok() {
                total -= len;
            }
        }
    }
}

fn folder() -> Option<PathBuf> {
    match std::env::var_os("STM_CACHE") {
        Some(value) if value == "off" => None,
        Some(value) if !value.is_empty() => Some(PathBuf::from(value)),
        _ => etcetera::choose_base_strategy().ok().map(|base| base.cache_dir().join("gpu-stm")),
    }
}

/// The kernels in a folder: when each was used last, and its size.
pub(super) fn kernels(dir: &Path) -> Vec<(SystemTime, u64, PathBuf)> {
    let Ok(listing) = fs::read_dir(dir) else { return Vec::new() };
    let kernels = listing.flatten().filter(|entry| entry.path().extension().is_some_and(|e| e == "bin"));
    let kernel = |entry: fs::DirEntry| {
        let meta = entry.metadata().ok()?;
        Some((meta.modified().ok()?, meta.len(), entry.path()))
    };
    kernels.filter_map(kernel).collect()
}

/// The compiled kernels that are kept on disk, for tools that show what is there.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct KernelCache {
    /// Where they are: what `STM_CACHE` names, else `gpu-stm` in the user's cache folder. `None` where none are kept.
    pub folder: Option<PathBuf>,
    /// How many there are.
    pub files: u64,
    /// Their size in bytes.
    pub bytes: u64,
    /// Beyond that size, the least recently used go.
    pub limit: u64,
}

impl KernelCache {
    /// As it is now.
    #[must_use]
    pub fn look() -> KernelCache {
        let folder = folder();
        let found = folder.as_deref().map(kernels).unwrap_or_default();
        let bytes = found.iter().map(|(_, len, _)| len).sum();
        KernelCache { folder, files: found.len() as u64, bytes, limit: LIMIT }
    }
}

/// Two processes may write the same key at once: each moves a whole file into place, and both files are good.
fn write(dir: &Path, path: &Path, key: Key, payload: &[u8]) -> io::Result<()> {
    fs::create_dir_all(dir)?;
    let mut file = tempfile::Builder::new().prefix(".writing-").tempfile_in(dir)?;
    file.write_all(MAGIC)?;
    file.write_all(&key.0)?;
    file.write_all(&checksum(payload))?;
    file.write_all(payload)?;
    file.persist(path)?;
    Ok(())
}

/// What the file holds, if it is what it should be. The key is in the file too, so that a renamed file is not believed.
fn payload(key: Key, bytes: &[u8]) -> Option<&[u8]> {
    let (header, payload) = bytes.split_at_checked(HEADER)?;
    let (magic, header) = header.split_at(MAGIC.len());
    let (owner, sum) = header.split_at(CHECKSUM);
    (magic == MAGIC && owner == key.0 && sum == checksum(payload)).then_some(payload)
}

fn checksum(payload: &[u8]) -> [u8; CHECKSUM] {
    Sha256::digest(payload).into()
}

/// The time of last use is the file's time of change.
fn touch(path: &Path) {
    if let Ok(file) = fs::File::options().append(true).open(path) {
        let _ = file.set_modified(SystemTime::now());
    }
}
