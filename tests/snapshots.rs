//! The compiler's output for every transaction in `cases`: intermediate form, facts, and CUDA text.
//!
//! After an intended change: `INSTA_UPDATE=always cargo test -p stm-tests --test snapshots`, and read the difference.

mod cases;

use std::collections::BTreeSet;
use std::path::Path;

use cases::Known;
use kernels_gen::compile::{self, Program};
use kernels_gen::pipeline::compile_source;
use sha2::{Digest, Sha256};

/// Returns the text of every file of cases, by its name.
fn sources() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("cases");
    let entries = std::fs::read_dir(&folder).expect("the folder of cases should be there");
    let paths = entries.map(|entry| entry.expect("a case should be readable").path());
    let mut sources: Vec<(String, String)> = paths
        .filter(|path| path.file_stem().is_some_and(|stem| stem != "mod"))
        .map(|path| {
            let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            (name, std::fs::read_to_string(&path).expect("a case should be text"))
        })
        .collect();
    sources.sort();
    sources
}

/// Returns what the compiler makes of a case: intermediate form, facts and CUDA text.
fn text(known: &Known) -> String {
    parts(known).join("\n")
}

/// Returns the intermediate form of a case, its facts, and the CUDA text.
fn parts(known: &Known) -> [String; 3] {
    let program = Program::load(known.source()).expect("this version wrote it");
    let (_, facts, cuda) = compile::flat(&program).unwrap_or_else(|error| panic!("{}: {error}", known.name));
    [program.tx.to_string(), facts.to_string(), cuda.to_string()].map(|text| plain(&text))
}

/// The most lines of a CUDA text that a snapshot contains. People do not read longer ones.
const MOST_LINES: usize = 45;

/// Returns the content of a snapshot: what people read of a case. That is not its intermediate form, and the CUDA text only of the first
/// transaction of each file, if it is short: of the rest there is a digest. `STM_TEST_FORMS=FOLDER` writes all texts, to compare those of two
/// versions. Lines of the case's own file are without the file.
fn snapshot(known: &Known, name: &str, is_first: bool) -> String {
    let [form, facts, cuda] = parts(known);
    if let Some(folder) = std::env::var_os("STM_TEST_FORMS") {
        std::fs::write(Path::new(&folder).join(name), text(known)).expect("STM_TEST_FORMS should be a folder");
    }
    let cuda = cuda.replace(&format!(" \"cases/{}.rs\"\n", known.case), "\n");
    let cuda = if is_first && cuda.lines().count() <= MOST_LINES { cuda } else { digest("CUDA text", &cuda) };
    format!("{}\n\n{facts}\n{cuda}", digest("intermediate form", &form))
}

/// Returns the length of a text, and what differs where the text does.
fn digest(what: &str, text: &str) -> String {
    let digest = Sha256::digest(text).iter().take(8).map(|byte| format!("{byte:02x}")).collect::<String>();
    format!("{what}: {} lines, {digest}", text.lines().count())
}

/// Returns the text without the path of this folder, which depends on how rustc was called.
fn plain(text: &str) -> String {
    let here = Path::new(file!()).parent().unwrap_or(Path::new(""));
    text.replace(&format!("{}/", here.display()), "")
}

#[test]
fn every_case_compiles_as_before() {
    let mut settings = insta::Settings::clone_current();
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    let mut names = BTreeSet::new();
    settings.bind(|| {
        let mut seen = BTreeSet::new();
        for known in cases::all() {
            let name = format!("{}-{}", known.case, known.name);
            insta::assert_snapshot!(name.clone(), snapshot(&known, &name, seen.insert(known.case)));
            names.insert(format!("{name}.snap"));
        }
    });
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("snapshots");
    for entry in std::fs::read_dir(folder).expect("the folder of snapshots should be there") {
        let name = entry.expect("a snapshot").file_name().to_string_lossy().into_owned();
        assert!(names.contains(&name), "snapshots/{name} has no case; remove it");
    }
}

#[test]
fn every_case_is_listed() {
    let listed = cases::all();
    for (case, source) in sources() {
        for written in source.split("#[gpu_transaction").skip(1) {
            let head = written.split_once("pub ").map_or("", |(_, head)| head);
            let name = head.trim_start_matches("fn ").trim_start_matches("const ");
            let name = name.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default();
            let is_it = |known: &Known| known.case == case && known.kernel.name().starts_with(name);
            assert!(!name.is_empty() && listed.iter().any(is_it), "list `{case}: {name}` in tests/cases/mod.rs");
        }
    }
}

/// Compares the output from the source text alone, for transactions that name nothing else of the program.
#[test]
fn the_attribute_and_the_tool_agree() {
    let mut compared = 0;
    for known in cases::all().iter().filter(|known| is_alone(known)) {
        let (_, source) = sources().into_iter().find(|(case, _)| case == known.case).expect("a case has a file");
        let Ok(compiled) = compile_source(&source, &format!("cases/{}.rs", known.case), true) else { continue };
        let Some(procedure) = compiled.iter().find(|procedure| procedure.transaction.name == known.name) else {
            continue;
        };
        assert_eq!(procedure.to_string(), text(known), "{}-{}", known.case, known.name);
        compared += 1;
    }
    assert!(compared > 30, "only {compared}");
}

fn is_alone(known: &Known) -> bool {
    let source = known.source();
    source.types.is_empty() && source.constants.is_empty() && source.functions.is_empty()
}

#[test]
fn compilation_is_deterministic() {
    for known in cases::all() {
        assert_eq!(text(&known), text(&known), "{}", known.name);
    }
    for (case, source) in sources() {
        let tool =
            || compile_source(&source, "x.rs", true).map(|all| all.iter().map(ToString::to_string).collect::<Vec<_>>());
        assert_eq!(tool().ok(), tool().ok(), "{case}");
    }
}
