//! A benchmark kit: a benchmark is its transactions, its initial state, its seeded generator and its invariant; everything
//! else is here.

mod benchmark;
pub mod prelude;

pub use benchmark::{Benchmark, Rng};
pub use clap;
pub use rand::{RngExt, SeedableRng};
pub use rand_distr::{Distribution, Zipf};
