//! The crates as a registry has them: what is packed, and a first program in an empty crate that gets the packed crates.

mod beside;
mod features;
mod manifests;
mod program;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

use serde_json::Value;

/// The crates that are published, in the order of their dependencies.
const PUBLISHED: [&str; 5] = ["kernels-gen", "stm-macros", "stm-runtime", "gpu-transactions", "stm-bench"];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the tests are in a folder of the workspace")
}

/// Returns the folder for packages. It stays the same, so that builds in it can be reused.
fn folder() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("packages")
}

/// Returns the folder of the workspace's build, which has most of the other crates.
fn target() -> &'static Path {
    Path::new(env!("CARGO_TARGET_TMPDIR")).parent().expect("a folder of the target folder")
}

/// Runs a program and returns what it printed.
fn run(command: &mut Command) -> Result<String, String> {
    succeeded(command, |_| true)
}

/// Runs a command that builds what a user builds: with the default features, which no other test has.
fn run_without_warnings(command: &mut Command) -> Result<String, String> {
    succeeded(command, |messages| !messages.contains("warning:"))
}

/// Runs a command, and returns what it prints if it succeeds with messages that are good.
fn succeeded(command: &mut Command, are_good: impl Fn(&str) -> bool) -> Result<String, String> {
    let output = command.output().map_err(|why| format!("{command:?}: {why}"))?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (printed, messages) = (text(&output.stdout), text(&output.stderr));
    match output.status.success() && are_good(&messages) {
        true => Ok(printed),
        false => Err(format!("{command:?}: {}\n{printed}{messages}", output.status)),
    }
}

/// Returns a cargo command in that folder. It needs no network: what the workspace was built with has been downloaded.
fn cargo(folder: &Path, words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO"));
    command.current_dir(folder).args(words).arg("--offline");
    command
}

/// Returns the packages of the workspace.
fn members() -> Vec<Value> {
    let text =
        run(&mut cargo(root(), &["metadata", "--format-version=1", "--no-deps"])).unwrap_or_else(|why| panic!("{why}"));
    let metadata: Value = serde_json::from_str(&text).expect("cargo should print JSON");
    metadata["packages"].as_array().expect("cargo should list packages").clone()
}

/// The folder of each unpacked crate, in the order of the list. An error if crates cannot be packed, `None` without `tar`.
static UNPACKED: LazyLock<Result<Option<Vec<PathBuf>>, String>> = LazyLock::new(|| {
    if run(Command::new("tar").arg("--version")).is_err() {
        return Ok(None);
    }
    let folder = folder();
    let mut command = cargo(root(), &["package", "--no-verify", "--allow-dirty", "--quiet"]);
    run(command.args(PUBLISHED.iter().flat_map(|name| ["-p", name])).arg("--target-dir").arg(&folder))?;
    let mut unpacked = Vec::new();
    for name in PUBLISHED {
        let crate_name = format!("{name}-{}", env!("CARGO_PKG_VERSION"));
        let target = folder.join(&crate_name);
        if target.exists() {
            std::fs::remove_dir_all(&target).map_err(|why| format!("{}: {why}", target.display()))?;
        }
        // `-m`: files are as new as now. In the package they are old, so cargo would take a build of other files for up to date.
        let package = folder.join("package").join(format!("{crate_name}.crate"));
        run(Command::new("tar").arg("-xzmf").arg(&package).arg("-C").arg(&folder))?;
        unpacked.push(target);
    }
    Ok(Some(unpacked))
});

/// Returns the folders of the unpacked crates, or prints why the test cannot run.
fn unpacked() -> Option<&'static [PathBuf]> {
    let unpacked = UNPACKED.as_ref().unwrap_or_else(|why| panic!("{why}")).as_deref();
    if unpacked.is_none() {
        println!("SKIPPED: packed crates: there is no `tar` to unpack them");
    }
    unpacked
}
