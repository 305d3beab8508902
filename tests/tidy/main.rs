//! House rules that no compiler checks.

mod allowed;
mod dependencies;
mod imports;
mod lengths;
mod licence;
mod modules;
mod phrases;
mod size;

use std::fs;
use std::path::{Path, PathBuf};

use kernels_gen::device::engines::ENGINES;

/// The extensions of source files.
const SOURCES: [&str; 7] = ["rs", "cuh", "cu", "h", "cpp", "sh", "py"];
/// The only folder and the only file that name engines.
const ENGINES_ALONE: [&str; 2] = ["kernels-gen/src/device/engines/", "kernels-gen/src/device/engines.rs"];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the tests are in a folder of the workspace")
}

/// Returns every source file: its path from the root, and its text.
fn sources() -> Vec<(String, String)> {
    let mut files = Vec::new();
    collect(root(), &mut files);
    files.sort();
    assert!(files.len() > 50, "only {} sources", files.len());
    files
}

fn collect(folder: &Path, files: &mut Vec<(String, String)>) {
    let entries = fs::read_dir(folder).unwrap_or_else(|why| panic!("{}: {why}", folder.display()));
    for path in entries.map(|entry| entry.expect("an entry should be readable").path()) {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() {
            if !name.starts_with('.') && name != "target" {
                collect(&path, files);
            }
        } else if is_source(&path) {
            let text = fs::read_to_string(&path).unwrap_or_else(|why| panic!("{}: {why}", path.display()));
            files.push((path.strip_prefix(root()).unwrap_or(&path).display().to_string(), text));
        }
    }
}

fn is_source(path: &Path) -> bool {
    path.extension().is_some_and(|extension| SOURCES.contains(&&*extension.to_string_lossy()))
}

/// Returns the lines of a file that are `wrong`, as `path:line`.
fn places(file: &str, text: &str, wrong: impl Fn(&str) -> bool) -> Vec<String> {
    let lines = text.lines().enumerate().filter(|(_, line)| wrong(line));
    lines.map(|(at, line)| format!("{file}:{}: {}", at + 1, line.trim())).collect()
}

#[test]
fn the_table_of_engines_has_every_file_and_each_says_where_it_is_from() {
    let folder = root().join("kernels-gen/src/device/engines");
    let entries = fs::read_dir(&folder).expect("the folder of engines should be there");
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry should be readable").path()).collect();
    let mut rows: Vec<PathBuf> = ENGINES.iter().map(|e| root().join("kernels-gen/src/device").join(e.file)).collect();
    files.sort();
    rows.sort();
    assert_eq!(files, rows);
    for engine in ENGINES {
        assert!(!engine.summary.is_empty() && !engine.source.is_empty(), "{}", engine.name);
        let named = engine.text.strip_prefix("// ").and_then(|head| head.split_once(':')).map(|(name, _)| name);
        assert!(named.is_some_and(|name| engine.name == name), "{} has no head", engine.file);
    }
}

#[test]
fn nobody_else_knows_an_engine_by_name() {
    let mut all = Vec::new();
    for (file, text) in sources() {
        if ENGINES_ALONE.iter().any(|place| file.starts_with(place)) || is_test(&file) {
            continue;
        }
        // Tests may use names of engines; they are at the end of a file.
        let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
        for engine in ENGINES {
            let name = format!("\"{}\"", engine.name);
            // The project's folder in the cache is named after an engine.
            let is_folder = |line: &str| line.contains("cache_dir()");
            all.extend(places(&file, code, |line| !is_comment(line) && !is_folder(line) && line.contains(&name)));
        }
    }
    assert!(all.is_empty(), "ask the table of engines instead\n{}", all.join("\n"));
}

fn is_test(file: &str) -> bool {
    file.split('/').any(|part| ["tests", "tests.rs", "benches"].contains(&part))
}

fn is_comment(line: &str) -> bool {
    line.trim_start().starts_with("//")
}

/// The feature that breaks the runtime on purpose.
const MUTATION: &str = "mutation";

#[test]
fn no_package_asks_for_mutants() {
    // The feature is declared by the runtime, and by the tests, which forward it.
    let declared = [
        "stm-runtime/Cargo.toml: mutation = [\"emulator\"]",
        "tests/Cargo.toml: mutation = [\"stm-runtime/mutation\"]",
    ];
    let manifest = |file: &str| fs::read_to_string(root().join(file)).unwrap_or_else(|why| panic!("{file}: {why}"));
    let workspace = manifest("Cargo.toml");
    let members =
        workspace.lines().find_map(|line| line.strip_prefix("members = ")).expect("the members of the workspace");
    let members = members.split('"').skip(1).step_by(2).map(|folder| format!("{folder}/Cargo.toml"));
    let mut all = Vec::new();
    for file in members.chain(["Cargo.toml".to_owned()]) {
        let names = |line: &&str| !line.starts_with('#') && line.contains(MUTATION);
        all.extend(manifest(&file).lines().filter(names).map(|line| format!("{file}: {line}")));
    }
    assert_eq!(all, declared, "only a build of all features has mutants");
}

/// Returns whether a file is a program that the compiler refuses.
fn is_rejected(file: &str) -> bool {
    file.strip_prefix("tests/ui/").is_some_and(|name| name.contains('/'))
}

#[test]
fn nothing_is_left_to_do() {
    // The words are assembled here, so that this file does not match itself.
    let marks = ["TO", "FIX", "XX", "HA"].iter().zip(["DO", "ME", "X", "CK"]).map(|(a, b)| [*a, b].concat());
    let words: Vec<String> = marks.chain(["dbg", "unimplemented", "todo"].map(|name| format!("{name}!("))).collect();
    let mut all = Vec::new();
    for (file, text) in sources() {
        // Programs that show what the language accepts and rejects.
        if !is_rejected(&file) && !["tests/cases/", "tests/language"].iter().any(|folder| file.starts_with(folder)) {
            all.extend(places(&file, &text, |line| words.iter().any(|word| has_word(line, word))));
        }
    }
    assert!(all.is_empty(), "{}", all.join("\n"));
}

#[test]
fn nothing_that_users_run_panics_where_nobody_reads() {
    let macros = ["println!(", "print!(", "eprintln!(", "eprint!("];
    let mut all = Vec::new();
    for (file, text) in sources() {
        let is_run = ["examples/", "gpu-transactions/src/", "stm-bench/src/", "stm-runtime/src/"]
            .iter()
            .any(|folder| file.starts_with(folder));
        if !is_run || file.contains("/tests") {
            continue;
        }
        let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
        let prints = |line: &str| !is_comment(line) && macros.iter().any(|name| has_word(line, name));
        all.extend(places(&file, code, prints));
    }
    assert!(all.is_empty(), "print with `writeln!(stdout(), ..)?`\n{}", all.join("\n"));
}

/// Returns true if the word is in the line and is not a part of a longer one.
fn has_word(line: &str, word: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    line.match_indices(word).any(|(at, _)| {
        let after = &line[at + word.len()..];
        !line[..at].ends_with(is_part) && (word.ends_with('(') || !after.starts_with(is_part))
    })
}

#[test]
fn no_file_names_a_place_on_one_machine() {
    let homes = ["/ho", "/wo", "/ro", "/Us"].iter().zip(["me/", "rk/", "ot/", "ers/"]).map(|(a, b)| [*a, b].concat());
    let homes: Vec<String> = homes.collect();
    let mut all = Vec::new();
    for (file, text) in sources() {
        let is_named = |line: &str| homes.iter().any(|home| starts_path(line, home));
        all.extend(places(&file, &text, is_named));
    }
    assert!(all.is_empty(), "{}", all.join("\n"));
}

/// Returns true if the path begins there and is not the end of another one.
fn starts_path(line: &str, path: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || "_-.$}~*/".contains(c);
    line.match_indices(path).any(|(at, _)| !line[..at].ends_with(is_part))
}

#[test]
fn rust_that_is_unsafe_stays_where_foreign_code_is_called() {
    // The back ends, and the interfaces for hand-written kernels and other code of CUDA.
    let allowed = [
        "stm-runtime/src/gpu/cuda/",
        "stm-runtime/src/gpu/emulator/",
        "stm-runtime/src/gpu/raw.rs",
        "examples/limits/hand.rs",
        "examples/limits/interop.rs",
        "examples/ways/bare.rs",
    ];
    let mut all = Vec::new();
    for (file, text) in sources() {
        if file.ends_with(".rs") && !allowed.iter().any(|place| file.starts_with(place)) && !is_test(&file) {
            all.extend(places(&file, &text, |line| {
                !is_comment(line) && ["unsafe {", "unsafe fn ", "unsafe impl"].iter().any(|form| line.contains(form))
            }));
        }
    }
    assert!(all.is_empty(), "{}", all.join("\n"));
}
