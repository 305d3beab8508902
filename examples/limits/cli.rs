//! The command line.

use clap::Parser;

/// Compares the generated kernel of `bank`'s transfer with kernels written by hand, on the same batch of transfers.
///
/// Each kernel first tries a few launch shapes; then all run in turn, each in its best shape, so that what disturbs
/// the device disturbs all of them. Times are device times, without compiling and copying. Exit status: 0 also
/// where there is no GPU to measure, 1 if the generated kernel loses money, a check of `--interop` fails or the output cannot be written, 2 if the
/// comparison could not run.
#[derive(Debug, Parser)]
#[command(name = "limits", version)]
pub(crate) struct Args {
    /// Where to run: cuda:N (device number, from 0)
    #[cfg_attr(feature = "emulator", doc = "or emulated (on host threads: shows that it works, not how fast)")]
    #[arg(long, value_name = "NAME", default_value = "cuda:0")]
    pub(crate) device: String,

    /// Number of accounts [default: 2500000; 1000 if emulated]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) accounts: Option<u32>,

    /// Number of transfers in the batch [default: 16777216; 2000 if emulated]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) transactions: Option<u32>,

    /// Timed runs of each kernel
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) repeat: u32,

    /// Seed of the random transfers
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,

    /// Measure nothing, and check that other code of CUDA can share its contexts, streams and memory
    #[arg(long, conflicts_with = "json")]
    pub(crate) interop: bool,

    /// Print one JSON object and nothing else
    #[arg(long)]
    pub(crate) json: bool,
}
