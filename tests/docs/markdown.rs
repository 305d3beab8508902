//! The parts of a document that the tests check.

use std::fs;
use std::path::{Path, PathBuf};

/// A document, by its path from the root of the repository.
pub(crate) struct Document {
    pub(crate) path: String,
    pub(crate) text: String,
}

/// A fenced block: the text after its fence, and its lines.
#[derive(Debug)]
pub(crate) struct Block {
    pub(crate) language: String,
    pub(crate) text: String,
}

pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the tests are in a folder of the workspace")
}

pub(crate) fn document(path: &str) -> Document {
    let text = fs::read_to_string(root().join(path)).unwrap_or_else(|why| panic!("{path}: {why}"));
    Document { path: path.to_owned(), text }
}

/// Returns the Markdown files directly in a folder, in order.
pub(crate) fn folder(path: &str) -> Vec<Document> {
    let entries = fs::read_dir(root().join(path)).unwrap_or_else(|why| panic!("{path}: {why}"));
    let files = entries.map(|entry| entry.expect("an entry should be readable").path());
    let mut files: Vec<PathBuf> = files.filter(|file| file.extension().is_some_and(|e| e == "md")).collect();
    files.sort();
    let name = |file: &PathBuf| file.strip_prefix(root()).expect("it lies in the repository").display().to_string();
    files.iter().map(|file| document(&name(file))).collect()
}

impl Document {
    pub(crate) fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or_default()
    }

    /// Returns every fenced block, in order.
    pub(crate) fn blocks(&self) -> Vec<Block> {
        let mut blocks: Vec<Block> = Vec::new();
        let mut open = false;
        for line in self.text.lines() {
            match (open, line.strip_prefix("```")) {
                (false, Some(language)) => {
                    blocks.push(Block { language: language.to_owned(), text: String::new() });
                    open = true;
                }
                (true, Some(_)) => open = false,
                (true, None) => {
                    let block = blocks.last_mut().expect("a block is open");
                    block.text.push_str(line);
                    block.text.push('\n');
                }
                (false, None) => {}
            }
        }
        assert!(!open, "{} has a block without an end", self.path);
        blocks
    }

    /// Returns the lines outside of fenced blocks.
    pub(crate) fn prose(&self) -> Vec<&str> {
        let mut open = false;
        let outside = |line: &&str| {
            let fence = line.starts_with("```");
            open ^= fence;
            !open && !fence
        };
        self.text.lines().filter(outside).collect()
    }

    /// Returns the targets of its links.
    pub(crate) fn links(&self) -> Vec<String> {
        let prose = self.prose().join("\n");
        let targets = prose.split("](").skip(1).filter_map(|rest| rest.split(')').next());
        targets.map(str::to_owned).collect()
    }

    /// Returns its link targets, as GitHub makes them from headings.
    pub(crate) fn anchors(&self) -> Vec<String> {
        let headings = self.prose().into_iter().filter_map(|line| line.strip_prefix('#'));
        headings.map(|heading| anchor(heading.trim_start_matches('#').trim())).collect()
    }

    /// Returns the rows of its tables, as their cells.
    pub(crate) fn rows(&self) -> Vec<Vec<String>> {
        let is_row = |line: &&str| line.starts_with('|') && !line.starts_with("|---");
        self.prose().into_iter().filter(is_row).map(cells).collect()
    }
}

fn anchor(heading: &str) -> String {
    let kept = |c: &char| c.is_alphanumeric() || " -_".contains(*c);
    heading.to_lowercase().chars().filter(kept).map(|c| if c == ' ' { '-' } else { c }).collect()
}

/// Returns the cells of a row. A `|` in a cell is written `\|`.
fn cells(row: &str) -> Vec<String> {
    let row = row.trim_matches('|').replace("\\|", "\u{1}");
    row.split('|').map(|cell| cell.trim().replace('\u{1}', "|")).collect()
}

/// Returns the code of a cell that holds only code.
pub(crate) fn code(cell: &str) -> &str {
    cell.trim_matches('`')
}

/// Compares the text between two marks of a document with the wanted text.
pub(crate) fn hold(path: &str, begin: &str, end: &str, wanted: &str) {
    let text = document(path).text;
    let (before, rest) = text.split_once(begin).unwrap_or_else(|| panic!("{path} has no {begin:?}"));
    let (found, after) = rest.split_once(end).unwrap_or_else(|| panic!("{path} has no {end:?} behind {begin:?}"));
    if found != wanted {
        write(path, &format!("{before}{begin}{wanted}{end}{after}"), wanted);
    }
}

/// Compares a piece of a document with the wanted text.
pub(crate) fn reword(path: &str, found: &str, wanted: &str) {
    if found != wanted {
        write(path, &document(path).text.replacen(found, wanted, 1), wanted);
    }
}

fn write(path: &str, text: &str, wanted: &str) {
    assert!(std::env::var_os("DOCS_UPDATE").is_some(), "{path}: run with DOCS_UPDATE=always; it should show\n{wanted}");
    fs::write(root().join(path), text).unwrap_or_else(|why| panic!("{path}: {why}"));
}
