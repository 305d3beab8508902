//! Takes the programs of the cookbook out of the guide, so that `cookbook` runs what readers see.

use std::io::{Write, stdout};
use std::path::Path;
use std::{env, fs};

const PAGE: &str = "../docs/guide/cookbook.md";

fn main() {
    writeln!(stdout(), "cargo::rerun-if-changed={PAGE}").expect("cargo should read");
    let page = fs::read_to_string(PAGE).expect("the page should be readable");
    let (mut modules, mut table) = (String::new(), String::new());
    for section in page.split("\n## ").skip(1) {
        let Some((_, program)) = section.split_once("```rust\n") else { continue };
        let (program, _) = program.split_once("```").expect("a program should end");
        let title = section.lines().next().expect("a section should have a title");
        let name = title.to_lowercase().replace([' ', '-'], "_");
        // `run` is private, as in a program of its own.
        modules += &format!("mod {name} {{ {program} pub(super) const RUN: super::Run = run; }}\n");
        table += &format!("(\"{title}\", {name}::RUN),\n");
    }
    let all = format!(
        "{modules}\n/// The programs by the titles of their sections.\npub(super) const ALL: &[(&str, Run)] = &[\n{table}];\n"
    );
    let folder = env::var("OUT_DIR").expect("cargo names a folder");
    fs::write(Path::new(&folder).join("cookbook.rs"), all).expect("the folder should be writable");
}
