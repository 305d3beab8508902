//! Random programs have the same meaning to rustc, to the interpreter of the intermediate form, to generated CUDA C on the host,
//! and to a GPU: every outcome and every word.
//!
//! This is a program of its own rather than a list of `#[test]`s, so that the same file runs on machines without Rust: see
//! README.md in this folder.

#[path = "meaning/batch.rs"]
mod batch;
#[path = "meaning/compare.rs"]
mod compare;
#[path = "meaning/constructs.rs"]
mod constructs;
#[path = "meaning/device.rs"]
mod device;
#[path = "meaning/generate/mod.rs"]
mod generate;
#[path = "meaning/made_up.rs"]
mod made_up;
#[path = "meaning/options.rs"]
mod options;
#[path = "meaning/pool.rs"]
mod pool;
#[path = "meaning/reduce.rs"]
mod reduce;
#[path = "meaning/shrink.rs"]
mod shrink;
#[path = "meaning/subject.rs"]
mod subject;
#[path = "meaning/suite.rs"]
mod suite;

/// The random programs that rustc compiled in the build.
#[allow(warnings, clippy::all, clippy::pedantic, arithmetic_overflow, unconditional_panic)]
mod generated {
    include!(concat!(env!("OUT_DIR"), "/generated.rs"));
}

use std::process::ExitCode;

fn main() -> ExitCode {
    match options::Options::from_arguments(std::env::args().skip(1)) {
        Ok(options) => suite::run(&options),
        Err(text) => {
            eprintln!("{text}");
            ExitCode::from(2)
        }
    }
}
