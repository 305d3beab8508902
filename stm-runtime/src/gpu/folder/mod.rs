//! Files in folders that other users may have prepared.
//!
//! A folder is opened once, and every step in it goes through its handle. Replacing the path between a check and a use therefore
//! changes nothing. A file is opened without following links and without blocking, is checked after it is open, and is read up
//! to a bound. A file is written whole under a temporary name and then renamed, so that a reader sees all of it or nothing, and
//! a link under its final name is replaced and never followed.
//!
//! Where content is executed, folder and file must be *private*: they belong to the effective user of this process, and no
//! other user can write to them. This also covers the parents: a user who can rename entries of a parent can put another
//! folder in place, but cannot make this user its owner. The superuser is a user like any other: under `sudo`, the folder of
//! the calling user is refused. Folders that a container or a network file system maps to another user (`nobody`) are refused,
//! and so are file systems without owners, where every user can write.
//!
//! Only Unix has owners and modes. On other systems the same steps go by path (`portable.rs`), nothing is checked, and the
//! user's profile has to keep other users out.

#[cfg(any(not(unix), test))]
mod portable;
mod unfit;
#[cfg(unix)]
mod unix;

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

pub(super) use unfit::Unfit;

#[cfg(not(unix))]
use portable as system;
#[cfg(unix)]
use unix as system;

/// The prefix of temporary names. No finished file may have it.
pub(super) const UNFINISHED: &str = ".writing-";

/// Turns "not found" into `None`.
fn present<T>(opened: Result<T, Unfit>) -> Result<Option<T>, Unfit> {
    match opened {
        Err(why) if why.is_missing() => Ok(None),
        opened => opened.map(Some),
    }
}

/// An open folder.
pub(super) struct Folder {
    handle: system::Handle,
    path: PathBuf,
}

impl Folder {
    /// Opens a private folder. Returns `None` if it does not exist.
    pub(super) fn open_private(path: &Path) -> Result<Option<Folder>, Unfit> {
        present(Folder::checked(path))
    }

    /// Opens a private folder, and creates it and its parents where they are missing.
    pub(super) fn create_private(path: &Path) -> Result<Folder, Unfit> {
        system::create_folder(path)?;
        Folder::checked(path)
    }

    /// Opens a folder without checking its permissions, and creates it where it is missing. For content that only people read.
    pub(super) fn create(path: &Path) -> Result<Folder, Unfit> {
        system::create_folder(path)?;
        Ok(Folder { handle: system::Handle::open(path, true)?, path: path.to_owned() })
    }

    fn checked(path: &Path) -> Result<Folder, Unfit> {
        let handle = system::Handle::open(path, false)?;
        handle.check()?;
        Ok(Folder { handle, path: path.to_owned() })
    }

    /// Returns the path of a file, for messages.
    pub(super) fn path_of(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// Opens a private regular file. Returns `None` where there is none.
    pub(super) fn file(&self, name: &str) -> Result<Option<PrivateFile>, Unfit> {
        let Some(file) = present(self.handle.file(name))? else { return Ok(None) };
        let bytes = system::check_file(&file)?;
        Ok(Some(PrivateFile { file, bytes }))
    }

    /// Returns the names of all entries, in no order. Names that are not Unicode are left out: the runtime writes none.
    pub(super) fn names(&self) -> io::Result<Vec<String>> {
        Ok(self.handle.names()?.into_iter().filter_map(|name| OsString::into_string(name).ok()).collect())
    }

    /// Writes a whole file and replaces an existing one. If several writers write one name at once, one of their files stays.
    pub(super) fn write(&self, name: &str, parts: &[&[u8]]) -> io::Result<()> {
        let (mut unfinished, mut file) = self.unfinished()?;
        parts.iter().try_for_each(|part| file.write_all(part))?;
        self.handle.rename(&unfinished.name, name)?;
        unfinished.is_in_place = true;
        Ok(())
    }

    /// Removes a file.
    pub(super) fn remove(&self, name: &str) -> io::Result<()> {
        self.handle.remove(name)
    }

    /// Creates a file under a new temporary name.
    fn unfinished(&self) -> io::Result<(Unfinished<'_>, File)> {
        /// Tells the files of one process apart. Number and time distinguish processes, on all machines.
        static COUNT: AtomicU64 = AtomicU64::new(0);
        const TRIES: usize = 100;
        let mut tries = 0;
        loop {
            let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
            let count = COUNT.fetch_add(1, Ordering::Relaxed);
            let name = format!("{UNFINISHED}{}-{now:x}-{count}", std::process::id());
            match self.handle.new_file(&name) {
                Err(why) if why.kind() == io::ErrorKind::AlreadyExists && tries < TRIES => tries += 1,
                made => return made.map(|file| (Unfinished { folder: self, name, is_in_place: false }, file)),
            }
        }
    }
}

/// A temporary name. Its file is removed on drop unless it has been renamed.
struct Unfinished<'a> {
    folder: &'a Folder,
    name: String,
    is_in_place: bool,
}

impl Drop for Unfinished<'_> {
    fn drop(&mut self) {
        if !self.is_in_place {
            let _ = self.folder.remove(&self.name);
        }
    }
}

/// An open regular file that belongs to this user and that no other user can write to.
pub(super) struct PrivateFile {
    file: File,
    /// The size when it was opened.
    pub(super) bytes: u64,
}

impl PrivateFile {
    /// Reads all of a file that has at most `most` bytes.
    pub(super) fn read(&self, most: u64) -> Result<Vec<u8>, Unfit> {
        if self.bytes > most {
            return Err(Unfit::TooLarge { bytes: self.bytes, most });
        }
        self.head(self.bytes)
    }

    /// Reads that many bytes from the beginning, or all of a shorter file. Must be called once.
    pub(super) fn head(&self, most: u64) -> Result<Vec<u8>, Unfit> {
        let mut bytes = Vec::new();
        let size = usize::try_from(self.bytes.min(most)).unwrap_or(usize::MAX);
        bytes.try_reserve_exact(size).map_err(|_| io::Error::from(io::ErrorKind::OutOfMemory))?;
        (&self.file).take(most).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    /// Returns the time of the last change.
    pub(super) fn changed(&self) -> Result<SystemTime, Unfit> {
        Ok(self.file.metadata()?.modified()?)
    }

    /// Sets the time of the last change to now. On failure, the old time stays.
    pub(super) fn touch(&self) {
        let _ = self.file.set_modified(SystemTime::now());
    }
}

/// A temporary folder that no other user can enter, and in which another program works. It is removed on drop.
#[cfg(feature = "emulator")]
pub(super) struct Temporary {
    folder: Folder,
    dir: tempfile::TempDir,
}

#[cfg(feature = "emulator")]
impl Temporary {
    pub(super) fn new() -> Result<Temporary, Unfit> {
        let mut builder = tempfile::Builder::new();
        system::keep_private(&mut builder);
        let dir = builder.tempdir()?;
        Ok(Temporary { folder: Folder::checked(dir.path())?, dir })
    }

    /// Returns the path, for the other program.
    pub(super) fn path(&self) -> &Path {
        self.dir.path()
    }

    /// Writes a file.
    pub(super) fn write(&self, name: &str, content: impl AsRef<[u8]>) -> io::Result<()> {
        self.folder.write(name, &[content.as_ref()])
    }

    /// Reads a file that the other program has left in this folder, and not in one that took its path. The file's mode does not
    /// matter, because no other user can enter.
    pub(super) fn read(&self, name: &str) -> Result<Vec<u8>, Unfit> {
        let mut bytes = Vec::new();
        self.folder.handle.file(name)?.read_to_end(&mut bytes)?;
        Ok(bytes)
    }
}

#[cfg(all(test, unix))]
mod tests;
