//! `STM_DUMP=<folder>`: writes everything that is compiled, for people to read.
//!
//! The folder may be shared, such as `/tmp`. Files are written under temporary names and renamed, so that a link of another
//! user is never followed, and no existing file blocks the writer.

use std::io::Write;
use std::path::{Path, PathBuf};

use super::cache::Key;
use super::folder::{Folder, Unfit};

/// Returns the folder that `STM_DUMP` names, if any.
pub(crate) fn folder() -> Option<PathBuf> {
    std::env::var_os("STM_DUMP").filter(|dir| !dir.is_empty()).map(PathBuf::from)
}

/// Writes the files of one kernel. The file names are the key's short form and the given endings. The error is only a
/// message: nothing depends on success.
pub(crate) fn write(dir: &Path, key: Key, files: &[(&str, &[u8])]) -> Result<(), String> {
    let attempt = || {
        let folder = Folder::create(dir)?;
        for (ending, content) in files {
            folder.write(&name(key, ending), &[content])?;
        }
        Ok(())
    };
    attempt().map_err(|why: Unfit| format!("cannot write to {}, which STM_DUMP names: {why}", dir.display()))
}

/// Returns the path of a file of `write`.
pub(crate) fn path(dir: &Path, key: Key, ending: &str) -> PathBuf {
    dir.join(name(key, ending))
}

fn name(key: Key, ending: &str) -> String {
    format!("{}.{ending}", key.short())
}

/// Keeps the source of a unit that does not compile: in the dump folder, or else in the system's folder for temporary files,
/// because a message about generated code is useless without the code.
pub(crate) fn keep_source(key: Key, source: &str) -> Option<PathBuf> {
    if let Some(dir) = folder()
        && write(&dir, key, &[("cu", source.as_bytes())]).is_ok()
    {
        return Some(path(&dir, key, "cu"));
    }
    let mut file = tempfile::Builder::new().prefix("stm-").suffix(".cu").tempfile().ok()?;
    file.write_all(source.as_bytes()).ok()?;
    file.into_temp_path().keep().ok()
}
