//! The conformance suite: every scenario, under every engine, on every back end that this machine has. Without a choice of engine, the
//! emulator leaves out some of the many pairs: see `conformance/places.rs`. The name of a test is its place and its scenario:
//! `fibers::priority::lost_update`.
//!
//! The output ends with a table: one line per scenario, one column per pair of back end and engine. This is a program of its own
//! rather than a list of `#[test]`s, so that the same file runs on machines without Rust: see README.md in this folder.

mod cell;
mod matrix;
mod options;
mod places;
mod suite;
mod watch;

use std::process::ExitCode;

use options::Options;
use suite::Suite;

fn main() -> ExitCode {
    let found = Options::from_environment().and_then(|options| Ok((options.scenarios(), places::find(&options)?)));
    match found {
        Ok((scenarios, (places, missing))) => Suite::new(scenarios, places).run(missing),
        Err(text) => {
            eprintln!("{text}");
            ExitCode::from(2)
        }
    }
}
