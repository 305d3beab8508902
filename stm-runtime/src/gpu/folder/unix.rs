//! Folders by their handles.

use std::ffi::{OsStr, OsString};
use std::fs::{DirBuilder, File, FileType, Metadata};
use std::io;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::{DirBuilderExt, FileTypeExt, MetadataExt};
use std::path::Path;

use rustix::fs::{self, AtFlags, Dir, Mode, OFlags};
use rustix::io::Errno;
use rustix::process::geteuid;

use super::unfit::Unfit;

/// Only the user reads, writes and enters.
const FOLDER_MODE: u32 = 0o700;
/// Only the user reads and writes.
const FILE_MODE: Mode = Mode::RUSR.union(Mode::WUSR);
/// The bits of a mode that let others write. Where there is an access control list, they include its rights.
const WRITABLE: u32 = 0o022;

/// Creates a folder and its parents where they are missing.
pub(super) fn create_folder(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(FOLDER_MODE).create(path)
}

/// The handle of a folder.
pub(super) struct Handle(File);

impl Handle {
    /// Opens a folder. If `follow` is true, the path may be a link to one.
    pub(super) fn open(path: &Path, follow: bool) -> Result<Handle, Unfit> {
        let no_link = if follow { OFlags::empty() } else { OFlags::NOFOLLOW };
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC | no_link;
        match fs::open(path, flags, Mode::empty()) {
            Ok(handle) => Ok(Handle(handle.into())),
            // Systems differ in the error for a link that is not followed.
            Err(_) if !follow && path.is_symlink() => Err(Unfit::Link),
            Err(why) => Err(Unfit::Io(why.into())),
        }
    }

    /// Checks that the folder is private.
    pub(super) fn check(&self) -> Result<(), Unfit> {
        check(&self.0.metadata()?)
    }

    /// Opens an entry for reading, without following a link and without blocking.
    pub(super) fn file(&self, name: &str) -> Result<File, Unfit> {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        match fs::openat(&self.0, name, flags, Mode::empty()) {
            Ok(file) => Ok(file.into()),
            Err(Errno::LOOP | Errno::MLINK) => Err(Unfit::Link),
            Err(why) => Err(Unfit::Io(why.into())),
        }
    }

    /// Creates a file. Fails if the name exists.
    pub(super) fn new_file(&self, name: &str) -> io::Result<File> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        Ok(fs::openat(&self.0, name, flags, FILE_MODE)?.into())
    }

    pub(super) fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        Ok(fs::renameat(&self.0, from, &self.0, to)?)
    }

    pub(super) fn remove(&self, name: &str) -> io::Result<()> {
        Ok(fs::unlinkat(&self.0, name, AtFlags::empty())?)
    }

    pub(super) fn names(&self) -> io::Result<Vec<OsString>> {
        let mut names = Vec::new();
        for entry in Dir::read_from(&self.0)? {
            let name = OsString::from_vec(entry?.file_name().to_bytes().to_vec());
            if name != OsStr::new(".") && name != OsStr::new("..") {
                names.push(name);
            }
        }
        Ok(names)
    }
}

/// Checks that an open file is regular and private. Returns its size.
pub(super) fn check_file(file: &File) -> Result<u64, Unfit> {
    let about = file.metadata()?;
    if !about.is_file() {
        return Err(Unfit::NotRegular(kind(about.file_type())));
    }
    check(&about)?;
    Ok(about.len())
}

fn check(about: &Metadata) -> Result<(), Unfit> {
    let (owner, user) = (about.uid(), geteuid().as_raw());
    if owner != user {
        return Err(Unfit::WrongOwner { owner, user });
    }
    if about.mode() & WRITABLE != 0 {
        return Err(Unfit::WritableByOthers { mode: about.mode() & 0o7777 });
    }
    Ok(())
}

fn kind(of: FileType) -> &'static str {
    match of {
        of if of.is_dir() => "a folder",
        of if of.is_fifo() => "a FIFO",
        of if of.is_socket() => "a socket",
        _ => "a device",
    }
}

#[cfg(feature = "emulator")]
pub(super) fn keep_private(builder: &mut tempfile::Builder<'_, '_>) {
    use std::os::unix::fs::PermissionsExt;
    builder.permissions(std::fs::Permissions::from_mode(FOLDER_MODE));
}
