//! Words that the project has given up: riddles, and old names. The list of what is left may only become shorter.

use std::process::Command;

use crate::allowed::{self, Found};
use crate::root;

/// Parts of English sentences, in lower case; text is compared in lower case.
const ENGLISH: [&str; 20] = [
    "put off",
    "puts off",
    "in vain",
    "so many",
    "so much of",
    "whoever",
    "who else",
    "is none",
    "are none",
    "that never was",
    "has names for",
    "no whole number of",
    "a type is no transaction",
    // Verbs and words that were renamed by mistake with names of the code.
    "components out",
    "error components",
    "compiler components",
    "reason a scenario",
    "reason a process",
    "on a environment",
    "a `environment`",
];

/// Names of the code that are no more.
const NAMES: [&str; 20] = [
    "stm_runtime::Table",
    "device.table(",
    ".table_with(",
    "KindSpec",
    "Kind::of(",
    "Locals<",
    "stm_runtime::Local<",
    "Choice::",
    "Trial::Ended",
    "Engine::auto(",
    "Bindings",
    "Leaf::",
    "leaves()",
    "RowOutcome",
    "region(",
    "regions(",
    "Ledger",
    "Crowd",
    "Wish",
    "announce(",
];

/// Endings of the files that hold sentences.
const TEXTS: [&str; 8] = ["rs", "md", "cuh", "cu", "h", "cpp", "sh", "toml"];

#[test]
fn given_up_words_do_not_come_back() {
    let mut found = Found::new();
    for file in tracked() {
        let ending = file.rsplit('.').next().unwrap_or_default();
        // Results are kept as they were measured, and this folder names the words.
        if !TEXTS.contains(&ending)
            || file.starts_with("docs/results/")
            || file.starts_with("tests/tidy/")
            || file == "CHANGELOG.md"
        {
            continue;
        }
        let Ok(text) = std::fs::read_to_string(root().join(&file)) else { continue };
        for (phrase, number) in count(&text) {
            found.insert(format!("{file}: {phrase}"), number);
        }
    }
    allowed::check(
        "phrases",
        &found,
        "say it otherwise: short sentences with a subject, and the words of the glossary",
    );
}

/// Returns how often each phrase stands in a text.
fn count(text: &str) -> Vec<(&'static str, usize)> {
    let lower = text.to_lowercase();
    let english = ENGLISH.iter().map(|phrase| (*phrase, occurrences(&lower, phrase)));
    let names = NAMES.iter().map(|name| (*name, occurrences(text, name)));
    english.chain(names).filter(|(_, number)| *number > 0).collect()
}

/// Counts whole words alone.
fn occurrences(text: &str, phrase: &str) -> usize {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let is_whole = |at: usize| {
        let (before, after) = (&text[..at], &text[at + phrase.len()..]);
        // "where there is none" is plain; "a device that is none" is a riddle.
        let is_plain = phrase.ends_with(" none") && before.ends_with("there ");
        let goes_on = phrase.ends_with(is_part) && after.starts_with(is_part);
        !is_plain && !before.ends_with(is_part) && !goes_on
    };
    text.match_indices(phrase).filter(|(at, _)| is_whole(*at)).count()
}

/// Returns the files that git tracks; none where the sources are not a checkout.
pub(crate) fn tracked() -> Vec<String> {
    let output = Command::new("git").args(["ls-files", "-z"]).current_dir(root()).output();
    let Some(output) = output.ok().filter(|output| output.status.success()) else { return Vec::new() };
    let names = String::from_utf8_lossy(&output.stdout).into_owned();
    names.split('\0').filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

#[test]
fn a_phrase_is_whole_words() {
    assert_eq!(count("There is none. It is none. It is nonetheless good, so many."), [("so many", 1), ("is none", 1)]);
    assert_eq!(count("MyLeaf::new, Leaf::new"), [("Leaf::", 1)]);
}
