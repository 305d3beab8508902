//! Random sequences of calls of the public API, with hostile values: no panic, no abort, no hang, and no wrong answer.
//!
//! Each sequence creates devices, arrays and batches, sets their options, runs them, and calls every accessor. The interpreter
//! of the intermediate form gives the expected result of the transactions. This is a program of its own rather than a list of
//! `#[test]`s because it runs sequences in separate processes. See README.md in this folder.

#[path = "api_fuzz/actions/mod.rs"]
mod actions;
#[path = "api_fuzz/arrays.rs"]
mod arrays;
#[path = "api_fuzz/call.rs"]
mod call;
#[path = "api_fuzz/child.rs"]
mod child;
#[path = "api_fuzz/log.rs"]
mod log;
#[path = "api_fuzz/options.rs"]
mod options;
#[path = "api_fuzz/order.rs"]
mod order;
#[path = "api_fuzz/parent.rs"]
mod parent;
#[path = "api_fuzz/procedures.rs"]
mod procedures;
#[path = "api_fuzz/sequence.rs"]
mod sequence;
#[path = "api_fuzz/settings.rs"]
mod settings;
#[path = "api_fuzz/shrink.rs"]
mod shrink;
#[path = "api_fuzz/verify.rs"]
mod verify;
#[path = "api_fuzz/world.rs"]
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
