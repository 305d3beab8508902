//! Reproduces the figures of the papers: `cargo run --release --example figures -- --help`.

use std::process::ExitCode;

/// The table of figures.
const BATCH: &str = include_str!("figures.toml");

fn main() -> ExitCode {
    stm_bench::figures(BATCH, benchmarks::ALL)
}
