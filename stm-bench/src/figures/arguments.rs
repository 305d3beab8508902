//! The command line of the figures.

use std::path::PathBuf;

use clap::Parser;
use stm_runtime::Device;

use crate::journal::Earlier;
use crate::options::Options;

/// Makes figures of papers again, on this machine.
///
/// Each becomes a CSV and SVG plots; a page puts them together with the machine, the command and what the paper says. Results
/// are kept as they come, so that what was interrupted goes on with --resume. Exit status: 0 if all is well, 1 if a measurement
/// has no result or standard output cannot be written, 2 if it could not run, 130 after Ctrl-C.
#[derive(Debug, Clone, Parser)]
#[command(name = "figures", version, group = clap::ArgGroup::new("which").required(true).multiple(true))]
pub(super) struct Arguments {
    /// The paper, by its number
    #[arg(long, value_name = "PAPER", group = "which")]
    pub(super) paper: Option<String>,

    /// The figure of the paper, by its number
    #[arg(long, value_name = "NUMBER", requires = "paper")]
    pub(super) figure: Option<String>,

    /// Every figure of every paper
    #[arg(long, group = "which", conflicts_with = "paper")]
    pub(super) all: bool,

    /// Lists the figures and makes none
    #[arg(long, group = "which")]
    pub(super) list: bool,

    #[arg(long, value_name = "NAME", default_value = "auto", help = format!("Where to run: {}", Device::NAMES))]
    pub(super) device: String,

    /// Print one JSON object and nothing else
    #[arg(long)]
    pub(super) json: bool,

    /// Small batches, one run and three values on each axis: to test that everything works, not to measure
    #[arg(long)]
    pub(super) quick: bool,

    /// The folder for results, plots and the page
    #[arg(long, value_name = "FOLDER", default_value = "figures")]
    pub(super) out: PathBuf,

    /// Go on with the results in the folder: what is there is not measured again
    #[arg(long, conflicts_with = "overwrite")]
    pub(super) resume: bool,

    /// Begin anew, whatever is in the folder
    #[arg(long)]
    pub(super) overwrite: bool,

    /// Draw the results in the folder again, wherever they were measured, and measure nothing. Say the other options as then
    #[arg(long, conflicts_with_all = ["overwrite", "resume", "device"])]
    pub(super) draw: bool,

    /// Engines, instead of those that the paper compares
    #[arg(long, value_name = "NAME,..")]
    pub(super) engines: Option<crate::engines::Engines>,

    /// Transactions in each batch [default: that of the figure; a tenth on CPU threads]
    #[arg(long, value_name = "N")]
    pub(super) transactions: Option<u64>,

    /// Runs that count, each on a state made anew [default: 5; 1 with --quick]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(super) runs: Option<u32>,

    /// The most seconds for one run; a run that takes longer is kept as timed out
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u32).range(1..))]
    pub(super) time_limit: u32,

    /// Record what every transaction reads and writes, and prove each outcome that of a one-at-a-time order; costs time
    #[arg(long)]
    pub(super) check: bool,
}

impl Arguments {
    pub(super) fn earlier(&self) -> Earlier {
        match (self.resume, self.overwrite) {
            (true, _) => Earlier::Resume,
            (_, true) => Earlier::Overwrite,
            _ => Earlier::Refuse,
        }
    }

    /// Returns the options for running a batch of that many transactions.
    pub(super) fn options(&self, transactions: u64) -> Options {
        Options {
            transactions: self.transactions.unwrap_or(transactions),
            runs: self.runs.unwrap_or(if self.quick { 1 } else { 5 }),
            warmup: u32::from(!self.quick),
            time_limit: self.time_limit,
            check: self.check,
            ..Options::default()
        }
    }
}
