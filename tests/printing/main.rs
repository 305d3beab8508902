//! The output of transactions: the same text on every device, byte for byte, and runs that do not depend on their output.
//!
//! This is a program of its own rather than a list of `#[test]`s, for two reasons. It starts itself with broken outputs, on which
//! a test harness would fail; and the same file runs on machines without Rust: see README.md in this folder.

mod output;
mod places;
mod runs;
mod texts;
mod values;

use std::process::ExitCode;

use stm_tests::harness::{self, test};

fn main() -> ExitCode {
    if let Some(child) = output::child() {
        return child;
    }
    let mut tests = places::missing();
    tests.extend([
        test("scalars_print_as_in_rust", values::scalars_print_as_in_rust),
        test("compound_values_print_as_in_rust", values::compound_values_print_as_in_rust),
        test("literal_texts_are_kept", texts::literal_texts_are_kept),
        test("random_lines_are_the_same_everywhere", texts::random_lines_are_the_same_everywhere),
        test("attempts_that_come_to_nothing_print", runs::attempts_that_come_to_nothing_print),
        test("a_proof_prints_nothing", runs::a_proof_prints_nothing),
        test("functions_print_side_by_side", runs::functions_print_side_by_side),
        test("lost_lines_are_counted", runs::lost_lines_are_counted),
        test("lines_go_to_standard_output", output::lines_go_to_standard_output),
        test("a_run_does_not_need_its_output", output::a_run_does_not_need_its_output),
    ]);
    harness::run(std::env::args().skip(1), tests)
}
