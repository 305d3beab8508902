//! The figures of the papers, made again: `cargo run --release --example figures -- --help`.

use std::process::ExitCode;

/// What each figure plots.
const BATCH: &str = include_str!("figures.toml");

fn main() -> ExitCode {
    stm_bench::figures(BATCH, benchmarks::ALL)
}
