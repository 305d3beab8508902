//! Rejected programs with messages of rustc: those of `ui/documents`, with the first message of each.

use std::fs;
use std::path::Path;

use crate::markdown::root;

const FOLDER: &str = "documents";

/// A program, and the first message of rustc, without its notes.
pub(crate) struct Case {
    pub(crate) program: String,
    pub(crate) said: String,
}

pub(crate) fn cases() -> Vec<Case> {
    let entries = fs::read_dir(root().join("tests/ui").join(FOLDER)).expect("the folder of cases should be there");
    let files = entries.map(|entry| entry.expect("a case should be readable").path());
    files.filter(|file| file.extension().is_some_and(|extension| extension == "rs")).map(|file| case(&file)).collect()
}

fn case(file: &Path) -> Case {
    let (program, said) = (read(file), read(&file.with_extension("stderr")));
    let name = format!("{FOLDER}/{}", file.file_name().unwrap_or_default().to_string_lossy());
    let first: Vec<&str> = said.lines().take_while(|line| !ends(line.trim_start())).collect();
    let first = first.join("\n").replace(&name, "src/main.rs");
    Case { program, said: format!("{}\n", first.trim_end_matches([' ', '|', '\n'])) }
}

/// Returns true if the message itself ends before this line.
fn ends(line: &str) -> bool {
    line.is_empty() || ["= ", "help: ", "note: "].iter().any(|start| line.starts_with(start))
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|why| panic!("{}: {why}", path.display()))
}
