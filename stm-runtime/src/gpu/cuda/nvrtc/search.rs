//! The places to search for the library.

use std::collections::HashSet;
use std::env;
use std::path::{Path, PathBuf};

/// Returns the path in a variable of the environment.
type Variables<'a> = &'a dyn Fn(&str) -> Option<PathBuf>;

/// Returns the path in a variable. An empty variable counts as unset.
pub(super) fn named(variable: &str) -> Option<PathBuf> {
    env::var_os(variable).filter(|value| !value.is_empty()).map(PathBuf::from)
}

/// Returns the libraries to try if `STM_NVRTC` is not set, in order.
pub(super) fn usual() -> Vec<PathBuf> {
    libraries(&named)
}

/// Returns the libraries in an environment: of `STM_NVRTC_DEFAULT`, of the toolkits and Python environments that variables name,
/// those that the system's loader knows, and those of installed toolkits and of Python's packages.
fn libraries(variable: Variables<'_>) -> Vec<PathBuf> {
    let mut all = variable("STM_NVRTC_DEFAULT").map(|path| expand(&path)).unwrap_or_default();
    let of = |folders: Vec<PathBuf>| folders.into_iter().flat_map(|folder| libraries_in(&folder)).collect::<Vec<_>>();
    all.extend(of(named_folders(variable)));
    all.extend(["libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"].map(PathBuf::from));
    all.extend(of(installed_folders(variable)));
    let mut seen = HashSet::new();
    all.retain(|path| seen.insert(path.clone()));
    all
}

/// Returns the folders in toolkits and Python environments that the user's shell has chosen.
fn named_folders(variable: Variables<'_>) -> Vec<PathBuf> {
    let toolkits =
        ["CUDA_HOME", "CUDA_PATH", "CONDA_PREFIX"].into_iter().filter_map(variable).flat_map(|root| toolkit(&root));
    let wheels = ["VIRTUAL_ENV", "CONDA_PREFIX"].into_iter().filter_map(variable).flat_map(|root| wheels(&root));
    toolkits.chain(wheels).collect()
}

/// Returns the folders in toolkits and Python packages in their usual places.
fn installed_folders(variable: Variables<'_>) -> Vec<PathBuf> {
    let mut all: Vec<PathBuf> =
        entries(Path::new("/usr/local"), "cuda").iter().flat_map(|root| toolkit(root)).collect();
    let path = variable("PATH").map(PathBuf::into_os_string).unwrap_or_default();
    let python = env::split_paths(&path).map(|folder| folder.join("python3")).find(|python| python.is_file());
    if let Some(python) = python {
        // A link in a virtual environment leads to the Python that it was made from.
        let roots = [Some(python.clone()), python.canonicalize().ok()].into_iter().flatten();
        all.extend(roots.filter_map(|python| Some(wheels(python.parent()?.parent()?))).flatten());
        // Packages that are not the system's own.
        all.extend(wheels(Path::new("/usr/local")));
        all.extend(variable("HOME").iter().flat_map(|home| wheels(&home.join(".local"))));
    }
    all
}

/// Returns the folders in which a toolkit can have its libraries.
fn toolkit(root: &Path) -> Vec<PathBuf> {
    ["lib64", "lib", "targets/x86_64-linux/lib", "targets/sbsa-linux/lib"].map(|folder| root.join(folder)).to_vec()
}

/// Returns the folders in which NVIDIA's wheels have their libraries, in every Python of an environment.
fn wheels(root: &Path) -> Vec<PathBuf> {
    let pythons = entries(&root.join("lib"), "python3");
    let packages = pythons.iter().flat_map(|python| ["site-packages", "dist-packages"].map(|name| python.join(name)));
    packages.flat_map(|packages| entries(&packages.join("nvidia"), "")).map(|package| package.join("lib")).collect()
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Makes an empty file, with its folders.
    fn touch(path: &Path) -> PathBuf {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, "").unwrap();
        path.to_owned()
    }

    #[test]
    fn toolkits_and_wheels_are_found_where_variables_point() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let wheel = |environment: &str| {
            root.join(environment).join("lib/python3.12/site-packages/nvidia/cu13/lib/libnvrtc.so.13")
        };
        let home = touch(&root.join("cuda/targets/x86_64-linux/lib/libnvrtc.so.13"));
        let other = touch(&root.join("other/lib64/libnvrtc.so.12"));
        let conda = touch(&root.join("conda/lib/libnvrtc.so.12"));
        let (virtual_env, conda_wheel) = (touch(&wheel("venv")), touch(&wheel("conda")));
        touch(&root.join("python/bin/python3"));
        let found = touch(&root.join("python/lib/python3.11/dist-packages/nvidia/cuda_nvrtc/lib/libnvrtc.so.12"));
        let user = touch(&wheel("home/.local"));
        // The second library of the compiler is no compiler.
        touch(&virtual_env.with_file_name("libnvrtc-builtins.so.13.0"));
        let variable = |name: &str| {
            let folder = match name {
                "CUDA_HOME" => "cuda",
                "CUDA_PATH" => "other",
                "VIRTUAL_ENV" => "venv",
                "CONDA_PREFIX" => "conda",
                "PATH" => "python/bin",
                "HOME" => "home",
                _ => return None,
            };
            Some(root.join(folder))
        };
        let all: Vec<PathBuf> = libraries(&variable).into_iter().filter(|path| path.starts_with(&root)).collect();
        assert_eq!(all, [home, other, conda, virtual_env, conda_wheel, found, user]);
    }

    #[test]
    fn the_systems_loader_comes_before_what_is_only_installed() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        touch(&root.join("bin/python3"));
        let installed = touch(&root.join("lib/python3.13/site-packages/nvidia/cu13/lib/libnvrtc.so.13"));
        let all = libraries(&|name| (name == "PATH").then(|| root.join("bin")));
        let at = |path: &Path| all.iter().position(|known| known == path);
        assert!(
            at(Path::new("libnvrtc.so.13")).is_some() && at(Path::new("libnvrtc.so.13")) < at(&installed),
            "{all:?}"
        );
        // Where the link and its target are the same, the library is tried once.
        assert_eq!(all.iter().filter(|path| **path == installed).count(), 1);
    }
}
