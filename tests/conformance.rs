//! The conformance suite: every scenario, under every engine, on every back end that this machine has.
//!
//! Prints one line a scenario with a column for each pair of back end and engine. A program of its own rather than a list of
//! `#[test]`s, so that the same file runs on machines without Rust: see README.md in this folder.

#[path = "conformance/list.rs"]
mod list;
#[path = "conformance/options.rs"]
mod options;
#[path = "conformance/places.rs"]
mod places;
#[path = "conformance/runner.rs"]
mod runner;

use std::process::ExitCode;

use options::Options;

fn main() -> ExitCode {
    let options = match Options::from_arguments(std::env::args().skip(1)) {
        Ok(options) => options,
        Err(text) => {
            eprintln!("{text}");
            return ExitCode::from(2);
        }
    };
    let scenarios = options.scenarios();
    if options.list {
        list::print(&scenarios);
        return ExitCode::SUCCESS;
    }
    let places = match places::find(&options) {
        Ok(places) => places,
        Err(text) => {
            eprintln!("{text}");
            return ExitCode::from(2);
        }
    };
    let matrix = runner::run(&scenarios, &places, &options);
    list::print_matrix(&scenarios, &places, &matrix);
    if matrix.failures() == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
