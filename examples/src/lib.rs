//! What the example programs share: a seeded stream of bank transfers, and numbers as people read them.

mod text;
mod workload;

pub use text::{grouped, millions};
pub use workload::{MAX_AMOUNT, Teller, Transfer};

/// Compiles and runs the program in the README.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;
