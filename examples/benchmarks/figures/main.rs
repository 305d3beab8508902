//! The figures of the papers, made again: `cargo run --release --example figures -- --help`.

use std::process::ExitCode;

/// What each figure plots.
const TABLE: &str = include_str!("figures.toml");

fn main() -> ExitCode {
    stm_bench::figures(TABLE, benchmarks::ALL)
}
