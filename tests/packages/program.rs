//! A first program, in an empty crate that depends on the packed crates: under their name, and under another one.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::{PUBLISHED, cargo, folder, root, run_without_warnings, target, unpacked};

/// Returns the first program of a document.
fn program(document: &str) -> String {
    let text = fs::read_to_string(root().join(document)).unwrap_or_else(|why| panic!("{document}: {why}"));
    let (_, program) = text.split_once("```rust\n").unwrap_or_else(|| panic!("{document} has no program"));
    program.split("```").next().unwrap_or_default().to_owned()
}

fn write(folder: &Path, file: &str, text: &str) {
    let path = folder.join(file);
    fs::create_dir_all(path.parent().expect("a file is in a folder")).expect("the folder should be new or there");
    fs::write(&path, text).unwrap_or_else(|why| panic!("{}: {why}", path.display()));
}

/// Returns the manifest of an empty crate with one dependency.
fn manifest(name: &str, dependency: &str) -> String {
    let (version, edition) = (env!("CARGO_PKG_VERSION"), "2024");
    let dependency = dependency.replace("VERSION", version);
    format!("[package]\nname = \"{name}\"\nedition = \"{edition}\"\n\n[dependencies]\n{dependency}\n")
}

#[test]
fn a_first_program_needs_one_dependency() {
    let Some(unpacked) = unpacked() else { return };
    let folder = folder().join("programs");
    let patches = PUBLISHED.iter().zip(unpacked).map(|(name, at)| format!("{name} = {{ path = {at:?} }}\n"));
    let workspace =
        "[workspace]\nmembers = [\"first-batch\", \"renamed-batch\"]\nresolver = \"3\"\n\n[patch.crates-io]\n";
    write(&folder, "Cargo.toml", &(workspace.to_owned() + &patches.collect::<String>()));
    // The versions that the workspace was built with, which this machine has.
    fs::copy(root().join("Cargo.lock"), folder.join("Cargo.lock")).expect("the lock file should be readable");

    let first = program("docs/guide/first-transaction.md");
    write(&folder, "first-batch/Cargo.toml", &manifest("first-batch", "gpu-transactions = \"VERSION\""));
    write(
        &folder,
        "first-batch/src/main.rs",
        &first.replace("assert_eq!(report.committed, 2);", "println!(\"{report}\");"),
    );
    let renamed = "renamed = { package = \"gpu-transactions\", version = \"VERSION\" }";
    write(&folder, "renamed-batch/Cargo.toml", &manifest("renamed-batch", renamed));
    write(&folder, "renamed-batch/src/main.rs", &format!("extern crate renamed as gpu_transactions;\n{first}"));

    let target = target();
    let cargo = |words: &[&str]| {
        let mut command = cargo(&folder, words);
        command.env("CARGO_TARGET_DIR", target).env("STM_CACHE", "off");
        run_without_warnings(&mut command).unwrap_or_else(|why| panic!("{why}"))
    };
    let report = cargo(&["run", "--quiet", "-p", "first-batch"]);
    let committed = report.lines().find_map(|line| line.trim().strip_prefix("committed")).unwrap_or_default();
    assert!(committed.trim().starts_with("2,"), "{report}");
    cargo(&["run", "--quiet", "-p", "renamed-batch"]);
    // Nothing subscribes to events there, and yet a program that runs on the CPU says so.
    let said = Command::new(target.join("debug/first-batch")).output().expect("the program should start");
    let (printed, messages) = (String::from_utf8_lossy(&said.stdout), String::from_utf8_lossy(&said.stderr));
    let is_warned = messages.lines().filter(|line| line.contains("because no GPU can be used")).count() == 1;
    assert_eq!(is_warned, !printed.contains("cuda:"), "{printed}{messages}");
}
