//! The benchmarks. Each states its source and its invariant at its head, and looks at the invariant after every run.

mod transfers;

use stm_bench::Entry;

pub use transfers::Transfers;

/// All of them, for the command line and the figures.
pub const ALL: &[Entry] = &[Entry::of::<Transfers>()];
