//! Random sequences of calls of the public API, with hostile values: no panic, no abort, no hang, and no wrong answer.
//!
//! Each sequence creates devices, arrays and batches, sets their options, runs them, and calls every accessor. The interpreter
//! of the intermediate form gives the expected result of the transactions. This is a program of its own rather than a list of
//! `#[test]`s because it runs sequences in separate processes. See README.md in this folder.

mod actions;
mod arrays;
mod call;
mod child;
mod log;
mod options;
mod order;
mod parent;
mod procedures;
mod sequence;
mod settings;
mod shrink;
mod verify;
mod world;

use std::process::ExitCode;

use options::Options;
use stm_tests::harness;

fn main() -> ExitCode {
    let options = match Options::from_arguments(std::env::args().skip(1)) {
        Ok(options) => options,
        Err(text) => {
            eprintln!("{text}");
            return ExitCode::from(2);
        }
    };
    match options.sequence {
        Some(number) => child::one(&options, number),
        None if options.is_child => child::run(&options),
        None if options.is_asked => parent::run(&options),
        None => harness::run(options.rest.clone(), parent::tests(&options)),
    }
}
