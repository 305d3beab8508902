//! The command line.

use std::path::PathBuf;

use clap::{Parser, value_parser};
use examples::OrderName;
use gpu_transactions::Device;

/// Lets two kinds of people move house until they like where they live: Thomas Schelling's town, a batch of transactions for each step.
///
/// The transactions are made on the device, and nothing of them is copied. A picture shows the town before and after.
/// Exit status: 0 if all is well, 1 if the number of people changed, --check finds a step wrong or the output cannot be written, 2 if the simulation
/// could not run, 130 after Ctrl-C.
#[derive(Debug, Parser)]
#[command(name = "simulation", version)]
pub(crate) struct Args {
    #[arg(long, value_name = "NAME", default_value = "auto", help = format!("Where to run: {}", Device::NAMES))]
    pub(crate) device: String,

    /// The town has 2^N homes each way [default: 10 on a GPU, a million homes; 7 on a CPU]
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(2..=13))]
    pub(crate) bits: Option<u32>,

    /// Number of steps [default: 1000 on a GPU, 100 on a CPU]
    #[arg(long, value_name = "N")]
    pub(crate) steps: Option<u64>,

    /// Steps after which the share of neighbours of one kind is counted
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = value_parser!(u64).range(1..))]
    pub(crate) every: u64,

    /// Percent of the neighbours that have to be of one's own kind
    #[arg(long, value_name = "PERCENT", default_value_t = 50, value_parser = value_parser!(u32).range(0..=100))]
    pub(crate) wanted: u32,

    /// Seed of the random numbers
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,

    /// The one-at-a-time order whose outcome each step has
    #[arg(long, value_name = "ORDER", value_enum, default_value_t = OrderName::Any)]
    pub(crate) order: OrderName,

    /// Prove that the outcome of each step is that of a one-at-a-time order
    #[arg(long)]
    pub(crate) check: bool,

    /// Where to write the picture, a PNG
    #[arg(long, value_name = "FILE", default_value = "target/simulation.png")]
    pub(crate) picture: PathBuf,

    /// Print one JSON object and nothing else
    #[arg(long)]
    pub(crate) json: bool,
}
