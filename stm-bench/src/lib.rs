//! A benchmark kit for GPU transactions: a benchmark states its transactions, its initial state, its seeded generator of
//! transactions and its invariant; the kit does everything else.
//!
//! - [`Benchmark`]: what you state. [`main`] and [`cli`] make a command line of it: `list`, `run`, `compare`, `sweep`, `kernel`,
//!   `doctor`.
//! - [`figures`]: a table of figures in TOML, measured and drawn.
//! - [`Cell`], [`Run`]: what is stored of a measurement, a [`Line`] of a file each.
//! - [`Chart`]: plots as SVG; [`picture`]: a [`Profile`] of conflicts. [`Spread`]: medians. [`generate`]: the transactions of a batch, for programs of their own.
//!
//! `docs/benchmarks.md` in the repository has a whole benchmark, in less than 40 lines, and says what is measured and how.

mod ahead;
mod bar;
mod benchmark;
mod cell;
mod cli;
mod contender;
mod engines;
mod entry;
mod error;
mod figures;
mod files;
mod interrupt;
mod journal;
mod machine;
mod measure;
mod options;
mod output;
mod page;
mod parameters;
mod phases;
mod plot;
pub mod prelude;
mod profile;
mod show;
mod stats;
mod steps;
mod sweep;
mod target;
#[cfg(test)]
mod tests;
mod transactions;

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
pub use plot::{Chart, Scale, Series, picture};
pub use profile::{Counted, Function, Profile};
pub use rand::{RngExt, SeedableRng};
pub use rand_distr::{Distribution, Zipf};
pub use stats::Spread;
pub use steps::Step;
pub use sweep::Axis;
pub use transactions::generate;
