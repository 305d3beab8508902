//! A benchmark kit: a benchmark is its transactions, its initial state, its seeded generator and its invariant; everything
//! else is here.

mod bar;
mod benchmark;
mod cell;
mod cli;
mod entry;
mod error;
mod figures;
mod interrupt;
mod journal;
mod machine;
mod measure;
mod options;
mod page;
mod parameters;
mod place;
mod plot;
pub mod prelude;
mod rows;
mod show;
mod stats;
mod sweep;
#[cfg(test)]
mod tests;

pub use benchmark::{Benchmark, Rng};
pub use cell::{Cell, Key, Metric, Run, Status};
pub use clap;
pub use cli::{cli, main, run_as};
pub use entry::Entry;
pub use error::BenchError;
pub use figures::{figures, figures_as};
pub use journal::{Line, Session};
pub use machine::Machine;
pub use options::Options;
pub use parameters::Parameters;
pub use plot::{Chart, Scale, Series};
pub use rand::{RngExt, SeedableRng};
pub use rand_distr::{Distribution, Zipf};
pub use rows::rows;
pub use stats::Spread;
pub use sweep::Axis;
