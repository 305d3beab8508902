//! `STM_DUMP=<folder>`: everything that is compiled, for people to read.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use super::cache::Key;

/// The folder that `STM_DUMP` names, if any.
pub(crate) fn folder() -> Option<PathBuf> {
    std::env::var_os("STM_DUMP").filter(|dir| !dir.is_empty()).map(PathBuf::from)
}

/// Writes the files of one kernel; the file names are the key's short form and the given endings. Trouble is a note for
/// people, never an error.
pub(crate) fn write(dir: &Path, key: Key, files: &[(&str, &[u8])]) -> Result<(), String> {
    let attempt = || {
        fs::create_dir_all(dir)?;
        for (ending, content) in files {
            fs::write(path(dir, key, ending), content)?;
        }
        Ok(())
    };
    attempt().map_err(|why: std::io::Error| format!("cannot write to {}: {why}", dir.display()))
}

pub(crate) fn path(dir: &Path, key: Key, ending: &str) -> PathBuf {
    dir.join(format!("{}.{ending}", key.short()))
}

/// Keeps the source of a unit that does not compile: in the dump folder, or else in the system's folder for temporary files,
/// because a message about generated code is of no use without the code.
pub(crate) fn keep_source(key: Key, source: &str) -> Option<PathBuf> {
    if let Some(dir) = folder() {
        write(&dir, key, &[("cu", source.as_bytes())]).ok()?;
        return Some(path(&dir, key, "cu"));
    }
    let mut file = tempfile::Builder::new().prefix("stm-").suffix(".cu").tempfile().ok()?;
    file.write_all(source.as_bytes()).ok()?;
    file.into_temp_path().keep().ok()
}
