//! Folders by their paths, for systems other than Unix, where owners are not checked.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use super::unfit::Unfit;

/// Creates a folder and its parents where they are missing.
pub(super) fn create_folder(path: &Path) -> io::Result<()> {
    fs::create_dir_all(path)
}

/// The path of a folder.
pub(super) struct Handle(PathBuf);

impl Handle {
    /// Finds a folder. If `follow` is true, the path may be a link to one.
    pub(super) fn open(path: &Path, follow: bool) -> Result<Handle, Unfit> {
        if !follow && fs::symlink_metadata(path)?.is_symlink() {
            return Err(Unfit::Link);
        }
        if !fs::metadata(path)?.is_dir() {
            return Err(Unfit::Io(io::ErrorKind::NotADirectory.into()));
        }
        Ok(Handle(path.to_owned()))
    }

    /// Checks nothing.
    pub(super) fn check(&self) -> Result<(), Unfit> {
        Ok(())
    }

    /// Opens a regular file for reading.
    pub(super) fn file(&self, name: &str) -> Result<File, Unfit> {
        let path = self.0.join(name);
        let about = fs::symlink_metadata(&path)?;
        if about.is_symlink() {
            return Err(Unfit::Link);
        }
        if !about.is_file() {
            return Err(Unfit::NotRegular(if about.is_dir() { "a folder" } else { "a device" }));
        }
        // Setting its time needs write permission.
        Ok(File::options().read(true).write(true).open(path)?)
    }

    /// Creates a file. Fails if the name exists.
    pub(super) fn new_file(&self, name: &str) -> io::Result<File> {
        File::create_new(self.0.join(name))
    }

    pub(super) fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        fs::rename(self.0.join(from), self.0.join(to))
    }

    pub(super) fn remove(&self, name: &str) -> io::Result<()> {
        fs::remove_file(self.0.join(name))
    }

    pub(super) fn names(&self) -> io::Result<Vec<OsString>> {
        fs::read_dir(&self.0)?.map(|entry| Ok(entry?.file_name())).collect()
    }
}

/// Returns the size of an open file.
pub(super) fn check_file(file: &File) -> Result<u64, Unfit> {
    Ok(file.metadata()?.len())
}

/// Folders for temporary files are in the user's profile.
#[cfg(feature = "emulator")]
pub(super) fn keep_private(_: &mut tempfile::Builder<'_, '_>) {}
