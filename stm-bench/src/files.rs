//! Files that are replaced atomically.

use std::fs;
use std::path::Path;
use std::process;

use crate::error::BenchError;

/// Replaces a file. It is first written under another name, so that a reader never sees half of it.
pub(crate) fn save(path: &Path, text: &str) -> Result<(), BenchError> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let temporary = path.with_file_name(format!(".{name}.{}", process::id()));
    let done = fs::write(&temporary, text).and_then(|()| fs::rename(&temporary, path));
    if done.is_err() {
        let _ = fs::remove_file(&temporary);
    }
    done.map_err(BenchError::file("write", path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_cannot_be_written_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("page.html");
        save(&file, "one").unwrap();
        save(&file, "two").unwrap();
        assert_eq!(fs::read_to_string(&file).unwrap(), "two");
        // A folder is in the way.
        fs::create_dir(folder.path().join("cells.csv")).unwrap();
        let error = save(&folder.path().join("cells.csv"), "three").unwrap_err().to_string();
        assert!(error.starts_with("cannot write ") && error.contains("cells.csv"), "{error}");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
    }
}
