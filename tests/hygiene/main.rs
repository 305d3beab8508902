//! Names: users' names never collide with names of generated code, in Rust or in CUDA C, and a path has the meaning that it has to
//! rustc. This program denies all warnings of rustc, so it also shows that expansions trigger no lint.
#![deny(warnings, missing_docs, unused, unreachable_pub, dead_code, private_interfaces, private_bounds)]
#![deny(unused_qualifications, unused_results, trivial_casts, trivial_numeric_casts)]
#![deny(missing_debug_implementations, single_use_lifetimes, unused_lifetimes, non_camel_case_types, non_snake_case)]

#[allow(unused_qualifications, reason = "the paths of the user are longer than needed")]
mod keywords;
mod lints;
mod methods;
#[allow(unused_qualifications, reason = "the paths of the user are longer than needed")]
mod paths;
mod places;
mod shadows;

use stm_runtime::prelude::*;

/// Runs the function on each device that can run it here.
fn everywhere(check: impl Fn(&Device) -> Result<(), Error>) {
    for device in [Device::cpu(2), Device::emulated(Default::default()).expect("the emulator should build")] {
        check(&device).unwrap_or_else(|why| panic!("{}: {why}", device.describe()));
    }
}

/// Returns the value of a committed transaction.
fn value<R: GpuData + PartialEq + std::fmt::Debug>(outcome: Outcome<R>) -> R {
    match outcome {
        Outcome::Committed(value) => value,
        other => panic!("{other:?}"),
    }
}
