//! The command line of the benchmarks: `cargo run --release --example bench -- --help`.

use std::process::ExitCode;

fn main() -> ExitCode {
    stm_bench::cli(benchmarks::ALL)
}
