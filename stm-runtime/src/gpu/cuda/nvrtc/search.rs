//! The places to search for the library.

use std::env;
use std::path::{Path, PathBuf};

/// Returns the path in a variable. An empty variable counts as unset.
pub(super) fn named(variable: &str) -> Option<PathBuf> {
    env::var_os(variable).filter(|value| !value.is_empty()).map(PathBuf::from)
}

/// Returns the libraries to try if `STM_NVRTC` is not set, in order: those of `STM_NVRTC_DEFAULT`, those that the system's
/// loader knows, and those of toolkits in their usual folders.
pub(super) fn usual() -> Vec<PathBuf> {
    let mut all = named("STM_NVRTC_DEFAULT").map(|path| expand(&path)).unwrap_or_default();
    all.extend(["libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"].map(PathBuf::from));
    all.extend(toolkit_folders().iter().flat_map(|dir| libraries_in(dir)));
    all
}

/// Returns the compiler's second library, if it is in the same folder as the first.
pub(super) fn builtins_next_to(library: &Path) -> Vec<PathBuf> {
    match library.parent().filter(|dir| !dir.as_os_str().is_empty()) {
        Some(dir) => entries(dir, "libnvrtc-builtins.so."),
        None => Vec::new(),
    }
}

/// Returns the libraries of a folder, or the path itself. A missing path is kept, so that the message can name it.
pub(super) fn expand(path: &Path) -> Vec<PathBuf> {
    if path.is_dir() { libraries_in(path) } else { vec![path.to_owned()] }
}

fn toolkit_folders() -> Vec<PathBuf> {
    let mut all: Vec<PathBuf> = entries(Path::new("/usr/local"), "cuda")
        .into_iter()
        .flat_map(|root| [root.join("lib64"), root.join("targets/x86_64-linux/lib")])
        .collect();
    all.dedup();
    all
}

fn libraries_in(dir: &Path) -> Vec<PathBuf> {
    entries(dir, "libnvrtc.so")
}

/// Returns the entries of a folder with that prefix, as absolute paths and in order. An unreadable folder has no entries.
fn entries(dir: &Path, prefix: &str) -> Vec<PathBuf> {
    let dir = dir.canonicalize().unwrap_or_else(|_| dir.to_owned());
    let Ok(listing) = std::fs::read_dir(&dir) else { return Vec::new() };
    let mut all: Vec<PathBuf> = listing
        .flatten()
        .filter(|entry| entry.file_name().to_string_lossy().starts_with(prefix))
        .map(|entry| entry.path())
        .filter(|path| !path.to_string_lossy().contains(".alt."))
        .collect();
    all.sort();
    all
}
