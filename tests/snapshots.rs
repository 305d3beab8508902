//! What the compiler makes of every file in `cases`: intermediate form, facts, and CUDA text, one snapshot a function.
//!
//! After a wanted change: `INSTA_UPDATE=always cargo test -p stm-tests --test snapshots`, and read the difference.

#[allow(missing_docs, unreachable_pub, clippy::complexity, clippy::style, reason = "cases show what users may write")]
mod cases;

use std::path::Path;

use kernels_gen::pipeline::compile_source;

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

#[test]
fn every_case_compiles_as_before() {
    let mut settings = insta::Settings::clone_current();
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    let mut known = Vec::new();
    settings.bind(|| {
        for (case, source) in sources() {
            let file = format!("cases/{case}.rs");
            let compiled = compile_source(&source, &file).unwrap_or_else(|errors| panic!("{file}\n{errors}"));
            assert!(!compiled.is_empty(), "{file} has no transaction");
            for kind in compiled {
                let name = format!("{case}-{}", kind.transaction.name);
                known.push(format!("{name}.snap"));
                insta::assert_snapshot!(name, kind.to_string());
            }
        }
    });
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("snapshots");
    for entry in std::fs::read_dir(folder).expect("the folder of snapshots should be there") {
        let name = entry.expect("a snapshot").file_name().to_string_lossy().into_owned();
        assert!(known.contains(&name), "snapshots/{name} has no case; remove it");
    }
}

#[test]
fn every_case_is_checked_by_rustc() {
    let listed = include_str!("cases/mod.rs");
    for (case, _) in sources() {
        assert!(listed.contains(&format!("pub mod {case};")), "list `{case}` in tests/cases/mod.rs");
    }
}

#[test]
fn compilation_is_deterministic() {
    for (case, source) in sources() {
        let texts: Vec<String> = (0..2)
            .map(|_| compile_source(&source, "x.rs").expect("cases compile").iter().map(ToString::to_string).collect())
            .collect();
        assert_eq!(texts[0], texts[1], "{case}");
    }
}
