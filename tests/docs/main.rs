//! The documents: every error code has its page, messages in them come from the compiler, and links have targets. The programs
//! in them run as documentation tests of this package: `support/documents.rs`.
//!
//! `DOCS_UPDATE=always cargo test -p stm-tests --test docs` rewrites the output of the compiler: the table of methods, the
//! kernels in the guide, and the words of messages. Read the difference.

mod compiler;
mod kernel;
mod markdown;
mod methods;
mod rustc;

use std::fs;
use std::path::Path;

use kernels_gen::diag::Rule;

use compiler::{Message, body, messages, shown};
use markdown::{Document, code, document, folder, hold, reword, root};

const SUPPORTED: &str = "docs/guide/supported-rust.md";
const INDEX: &str = "docs/errors/README.md";

/// Returns the page of a rule.
fn page(rule: Rule) -> String {
    format!("docs/errors/{}.md", rule.code())
}

/// Returns every document for readers.
fn documents() -> Vec<Document> {
    let folders = ["", "docs", "docs/errors", "docs/guide", "docs/results", "tests"];
    folders.into_iter().flat_map(folder).collect()
}

#[test]
fn every_code_has_a_page_and_a_row_of_the_index_and_every_page_a_code() {
    let index = document(INDEX);
    let rows = index.rows();
    for rule in Rule::ALL {
        let name = rule.code();
        let title = document(&page(*rule)).text.lines().next().unwrap_or_default().to_owned();
        assert_eq!(title, format!("# {name}: {}", rule.text()));
        let row = vec![format!("[{name}]({name}.md)"), rule.text().to_owned()];
        assert!(rows.contains(&row), "{INDEX} needs the row | {} | {} |", row[0], row[1]);
    }
    for page in folder("docs/errors") {
        let known = Rule::ALL.iter().any(|rule| page.name() == format!("{}.md", rule.code()));
        assert!(known || page.path == INDEX, "{} is the page of no code", page.path);
    }
    let codes = rows.iter().filter(|row| row[0].starts_with("[STM")).count();
    assert_eq!(codes, Rule::ALL.len(), "{INDEX} has a row of no code");
}

#[test]
fn every_page_shows_what_the_compiler_says_and_what_to_write_instead() {
    for rule in Rule::ALL {
        let (page, code) = (document(&page(*rule)), rule.code());
        let blocks = page.blocks();
        let [rejected, text, instead] = &blocks[..] else { panic!("{}: {} blocks", page.path, blocks.len()) };
        let languages = [rejected, text, instead].map(|block| &*block.language);
        assert_eq!(languages, ["rust,compile_fail", "text", "rust"], "{}", page.path);
        let said = messages(&rejected.text);
        assert!(!said.is_empty(), "{}: the rejected example compiles", page.path);
        assert!(said.iter().all(|message| message.text.starts_with(&format!("{code}: "))), "{}: {said:#?}", page.path);
        let shown = shown(&text.text);
        let places = |messages: &[Message]| messages.iter().map(|m| (m.line, m.column)).collect::<Vec<_>>();
        assert_eq!(places(&shown), places(&said), "{} shows other places than {said:#?}", page.path);
        shown.iter().zip(&said).for_each(|(old, new)| reword(&page.path, &old.text, &new.text));
        assert_eq!(messages(&instead.text), [], "{}", page.path);
    }
}

/// Compares messages of rustc with the cases in `ui/documents`, where rustc runs.
#[test]
fn the_index_shows_what_rustc_says() {
    let cases = rustc::cases();
    for case in &cases {
        let begin = format!("```rust,compile_fail\n{}```\n\n```text\n", case.program);
        hold(INDEX, &begin, "```\n", &case.said);
    }
    let programs = document(INDEX).blocks().iter().filter(|block| block.language == "rust,compile_fail").count();
    assert_eq!(programs, cases.len(), "each program of {INDEX} needs a case in tests/ui/documents");
}

#[test]
fn every_program_is_run() {
    let listed = fs::read_to_string(root().join("tests/support/documents.rs")).expect("the list of documents");
    for page in ["docs/errors", "docs/guide"].into_iter().flat_map(folder).chain([document("README.md")]) {
        assert!(
            listed.contains(&format!("\"../../{}\"", page.path)),
            "list {} in tests/support/documents.rs",
            page.path
        );
        for block in page.blocks().iter().filter(|block| block.language.starts_with("rust")) {
            let (language, fails) = (&*block.language, block.language.starts_with("rust,compile_fail"));
            assert!(language == "rust" || fails, "{}: a block is `{language}`, so nobody runs it", page.path);
            // GitHub shows the lines that rustdoc hides.
            assert!(block.text.lines().all(|line| !line.starts_with("# ")), "{}: a line is hidden", page.path);
        }
    }
}

/// Users add one crate, so programs in documents use no other one.
#[test]
fn programs_for_users_use_the_crate_that_they_add() {
    let pages = ["docs/errors", "docs/guide"].into_iter().flat_map(folder).chain([document("README.md")]);
    let mut programs = 0;
    for page in pages {
        for block in page.blocks().iter().filter(|block| block.language.starts_with("rust")) {
            assert!(!block.text.contains("stm_runtime"), "{}: write `gpu_transactions`\n{}", page.path, block.text);
            programs += usize::from(block.text.contains("use gpu_transactions::"));
        }
    }
    assert!(programs > 50, "only {programs} programs");
}

#[test]
fn every_row_of_the_table_of_rust_is_true() {
    let page = document(SUPPORTED);
    let programs: String = page.blocks().iter().map(|block| squeeze(&block.text)).collect();
    let (mut works, mut refused) = (0, 0);
    for row in page.rows().iter().filter(|row| row.len() == 4 && !row[1].is_empty()) {
        let (support, example) = (&*row[1], squeeze(code(&unescape(&row[2]))));
        match support.strip_prefix("No: [").and_then(|rest| rest.split(']').next()) {
            Some(rule) if !example.is_empty() => {
                let said = body(&example);
                assert!(said.iter().any(|message| message.text.starts_with(rule)), "{example}: {said:#?}");
                refused += 1;
            }
            Some(rule) => assert!(Rule::ALL.iter().any(|known| known.code() == rule), "{rule}"),
            None => {
                assert!(["Full", "Partly"].contains(&support), "{support}");
                assert!(programs.contains(&example), "no program of {SUPPORTED} has `{example}`");
                works += 1;
            }
        }
    }
    assert!(works > 40 && refused > 10, "{works} rows that work, {refused} that are refused");
}

fn squeeze(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Decodes code with a `|`, which is written as HTML because GitHub would end the cell there.
fn unescape(cell: &str) -> String {
    cell.replace("<code>", "").replace("</code>", "").replace("&#124;", "|")
}

#[test]
fn the_table_of_methods_is_that_of_the_compiler() {
    hold(SUPPORTED, "<!-- methods -->\n", "<!-- end of methods -->\n", &methods::table());
}

#[test]
fn the_methods_of_options_are_those_of_the_compiler() {
    let page = document(SUPPORTED);
    let line = page.text.lines().find_map(|line| line.strip_prefix("`Option`: ")).expect("the line of `Option`");
    let (list, _) = line.split_once('.').expect("a sentence");
    for name in list.split(", ").map(code) {
        let forms = ["", "7", "maybe", "\"none\""].map(|argument| format!("let v = maybe.{name}({argument});"));
        assert!(forms.iter().any(|form| body(form).is_empty()), "`Option::{name}` is refused");
    }
}

/// Without programs and the table of supported Rust, at 230 words a minute.
#[test]
fn the_guide_takes_an_hour_to_read() {
    let is_read = |page: &Document, line: &&str| page.path != SUPPORTED || !line.starts_with('|');
    let is_word = |word: &&str| word.contains(char::is_alphanumeric);
    let words = |page: &Document| -> usize {
        let lines = page.prose().into_iter().filter(|line| is_read(page, line));
        lines.map(|line| line.split_whitespace().filter(is_word).count()).sum()
    };
    let pages: Vec<(String, usize)> =
        folder("docs/guide").iter().map(|page| (page.path.clone(), words(page))).collect();
    let all: usize = pages.iter().map(|(_, words)| words).sum();
    assert!((10_000..=60 * 230).contains(&all), "{all} words: shorten {pages:#?}");
}

#[test]
fn links_lead_somewhere() {
    for page in documents() {
        let folder = root().join(&page.path);
        let folder = folder.parent().expect("a document is in a folder");
        for link in page.links().iter().filter(|link| !link.starts_with("http")) {
            let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
            let target = if file.is_empty() { root().join(&page.path) } else { folder.join(file) };
            assert!(target.exists(), "{}: {link}", page.path);
            if !anchor.is_empty() {
                let text = fs::read_to_string(&target).expect("a target with an anchor is a text");
                let target = Document { path: link.clone(), text };
                assert!(target.anchors().iter().any(|known| known == anchor), "{}: {link}", page.path);
            }
        }
    }
}

#[test]
fn each_page_of_the_guide_names_the_next_one() {
    let mut pages = document("docs/guide/README.md").links();
    pages.retain(|link| link.ends_with(".md") && !link.contains('/'));
    assert_eq!(pages.len(), folder("docs/guide").len() - 1, "the list of the guide has each page");
    for pair in pages.windows(2) {
        let page = document(&format!("docs/guide/{}", pair[0]));
        let last = page.text.lines().last().unwrap_or_default();
        assert!(last.starts_with("Next: [") && last.contains(&format!("]({})", pair[1])), "{}: {last}", page.path);
    }
}

#[test]
fn files_that_documents_name_exist() {
    let mut files = Vec::new();
    list(root(), &mut files);
    let mut missing = Vec::new();
    for page in [document("ARCHITECTURE.md"), document("CONTRIBUTING.md"), document("tests/README.md")] {
        let prose = page.prose().join(" ");
        for word in prose.split('`').skip(1).step_by(2).filter(|word| is_file(word)) {
            if !files.iter().any(|file| file.ends_with(&format!("/{word}"))) {
                missing.push(format!("{}: {word}", page.path));
            }
        }
    }
    assert!(missing.is_empty(), "these are not there\n{}", missing.join("\n"));
}

fn is_file(word: &str) -> bool {
    let plain = word.chars().all(|c| c.is_ascii_alphanumeric() || "_-./".contains(c)) && !word.contains("NAME");
    plain && [".rs", ".cuh", ".sh", ".toml"].iter().any(|end| word.ends_with(end))
}

fn list(folder: &Path, files: &mut Vec<String>) {
    for entry in fs::read_dir(folder).unwrap_or_else(|why| panic!("{}: {why}", folder.display())) {
        let path = entry.expect("an entry should be readable").path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        match path.is_dir() {
            true if name == "target" || name == ".git" => {}
            true => list(&path, files),
            false => files.push(path.display().to_string()),
        }
    }
}
