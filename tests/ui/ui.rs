//! Rejected programs and their messages: a folder for each rule, a program and its expected messages for each case.
//!
//! After an intended change: `TRYBUILD=overwrite cargo test -p stm-tests-ui`, and read the difference.

use std::fs;
use std::path::{Path, PathBuf};

use kernels_gen::diag::Rule;

#[test]
fn rejected_programs() {
    let cases = trybuild::TestCases::new();
    cases.compile_fail("*/*.rs");
}

/// Returns the expected messages of every case: path and text.
fn messages() -> Vec<(PathBuf, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let entries = |folder: &Path| -> Vec<PathBuf> {
        let entries = fs::read_dir(folder).unwrap_or_else(|why| panic!("{}: {why}", folder.display()));
        entries.map(|entry| entry.expect("an entry should be readable").path()).collect()
    };
    let files = entries(root).into_iter().filter(|path| path.is_dir()).flat_map(|folder| entries(&folder));
    let texts = files.filter(|path| path.extension().is_some_and(|extension| extension == "stderr"));
    texts.map(|path| (path.clone(), fs::read_to_string(path).expect("a text should be readable"))).collect()
}

/// Returns the blocks between empty lines, each from its headline on.
fn blocks(text: &str) -> impl Iterator<Item = &str> {
    text.split("\n\n").filter(|block| block.starts_with("error"))
}

#[test]
fn messages_speak_of_the_users_program() {
    const INTERNAL: [&str; 7] = ["__private", "stm_", "STM_C", "Lowering", "TyId", "VarId", "mixed_site"];
    // The functions of operators, and what stands for a method, are named where rustc explains a bound of theirs.
    const EXPLAINED: [&str; 4] = ["stm_runtime", "stm_run_op_", "stm_find_op_", "stm_absent::stm_run_"];
    let plain = |line: &str| EXPLAINED.iter().fold(line.to_owned(), |line, word| line.replace(word, ""));
    let names = |line: &str| INTERNAL.iter().any(|word| plain(line).contains(word));
    let mut wrong = Vec::new();
    for (path, text) in messages() {
        for block in blocks(&text) {
            let ours = block.starts_with("error: STM");
            // Of rustc's messages, only the headline and the text under the caret: notes may explain where a bound comes from, and name
            // the function that has it.
            let explains = |line: &str| line.contains("required by this bound in");
            let lines = block.lines().enumerate().filter(|(k, line)| ours || *k == 0 || line.contains('^'));
            let about_a_name = block.contains("STM0041") || block.contains("| fn stm_");
            wrong.extend(
                lines
                    .filter(|(_, line)| !about_a_name && !explains(line) && names(line))
                    .map(|(_, line)| format!("{}: {line}", path.display())),
            );
        }
    }
    assert!(wrong.is_empty(), "internal names\n{}", wrong.join("\n"));
}

#[test]
fn our_messages_have_a_code_and_what_to_write_instead() {
    let ours = |block: &str| block.starts_with("error: ") && !block.starts_with("error: STM");
    let mut wrong = Vec::new();
    for (path, text) in messages() {
        // rustc refuses an attribute in an `impl`; this message has no code.
        let known = |block: &str| {
            block.contains("is not supported in `trait`s or `impl`s") || block.contains("non-structural type")
        };
        let bare = blocks(&text).filter(|block| ours(block) && !known(block));
        wrong.extend(bare.map(|block| format!("{}: {}", path.display(), block.lines().next().unwrap_or_default())));
    }
    assert!(wrong.is_empty(), "no code\n{}", wrong.join("\n"));
}

#[test]
fn nothing_is_reported_twice_at_one_place() {
    let mut wrong = Vec::new();
    for (path, text) in messages() {
        let mut places: Vec<&str> = Vec::new();
        for block in blocks(&text).filter(|block| block.starts_with("error: STM")) {
            let place = block.lines().nth(1).unwrap_or_default();
            if places.contains(&place) {
                wrong.push(format!("{}: {place}", path.display()));
            }
            places.push(place);
        }
    }
    assert!(wrong.is_empty(), "twice\n{}", wrong.join("\n"));
}

#[test]
fn every_rule_has_a_case() {
    let texts: String = messages().into_iter().map(|(_, text)| text).collect();
    let missing: Vec<&str> =
        Rule::ALL.iter().map(|rule| rule.code()).filter(|code| !texts.contains(&format!("{code}: "))).collect();
    assert!(missing.is_empty(), "no program breaks {missing:?}");
}
