//! What transactions print: the same text on every device, byte for byte, and a run that does not mind who reads it.
//!
//! A program of its own rather than a list of `#[test]`s, for two reasons. It starts itself with broken outputs, on which a test
//! harness would fail; and the same file runs on machines without Rust: see README.md in this folder.

#[path = "printing/output.rs"]
mod output;
#[path = "printing/places.rs"]
mod places;
#[path = "printing/runs.rs"]
mod runs;
#[path = "printing/texts.rs"]
mod texts;
#[path = "printing/values.rs"]
mod values;

use std::io::Write;
use std::panic;
use std::process::ExitCode;

/// A test fails by a panic.
type Test = (&'static str, fn());

const TESTS: &[Test] = &[
    ("scalars_print_as_in_rust", values::scalars_print_as_in_rust),
    ("compound_values_print_as_in_rust", values::compound_values_print_as_in_rust),
    ("literal_texts_are_kept", texts::literal_texts_are_kept),
    ("random_lines_are_the_same_everywhere", texts::random_lines_are_the_same_everywhere),
    ("attempts_that_come_to_nothing_print", runs::attempts_that_come_to_nothing_print),
    ("a_proof_prints_nothing", runs::a_proof_prints_nothing),
    ("functions_print_side_by_side", runs::functions_print_side_by_side),
    ("lost_lines_are_counted", runs::lost_lines_are_counted),
    ("lines_go_to_standard_output", output::lines_go_to_standard_output),
    ("a_run_does_not_need_its_output", output::a_run_does_not_need_its_output),
];

fn main() -> ExitCode {
    if let Some(child) = output::child() {
        return child;
    }
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let chosen = |name: &str| words.is_empty() || words.iter().any(|word| name.contains(word.as_str()));
    let mut failed = Vec::new();
    for (name, test) in TESTS.iter().filter(|(name, _)| chosen(name)) {
        // Errors of writing are of no interest to the tests.
        let passed = panic::catch_unwind(test).is_ok();
        let _ = writeln!(std::io::stderr(), "test {name} ... {}", if passed { "ok" } else { "FAILED" });
        if !passed {
            failed.push(*name);
        }
    }
    if failed.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
