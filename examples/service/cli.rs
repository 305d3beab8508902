//! The command line.

use std::time::Duration;

use clap::{Parser, value_parser};
use gpu_transactions::Device;

/// Serves transfers between accounts, which threads submit one by one, or list by list, to a pipeline on a GPU or on CPU threads.
///
/// While it runs, a line on a terminal shows how many transfers are served, and how long they take from their submission to their outcome.
/// Exit status: 0 if all is well, 1 if money or a transfer was lost, or the output cannot be written, 2 if the service could not run, 130
/// after Ctrl-C.
#[derive(Debug, Clone, Parser)]
#[command(name = "service", version)]
pub(crate) struct Args {
    #[arg(long, value_name = "NAME", default_value = "auto", help = format!("Where to run: {}", Device::NAMES))]
    pub(crate) device: String,

    /// How long the threads submit transfers, in seconds
    #[arg(long, value_name = "S", default_value_t = 5.0, value_parser = some_seconds)]
    pub(crate) seconds: f64,

    /// Threads that submit
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = value_parser!(u32).range(1..=1024))]
    pub(crate) threads: u32,

    /// Transfers that a thread submits together, as lists; 1 submits calls
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = value_parser!(u32).range(1..=1 << 20))]
    pub(crate) list: u32,

    /// Transfers that all threads together submit in a second, at most [default: as many as the pipeline takes]
    #[arg(long, value_name = "N", value_parser = value_parser!(u64).range(1..))]
    pub(crate) rate: Option<u64>,

    /// Number of accounts, each with 1,000 units of money
    #[arg(long, value_name = "N", default_value_t = 1_000_000, value_parser = value_parser!(u32).range(1..))]
    pub(crate) accounts: u32,

    /// Transfers with which a batch is full
    #[arg(long, value_name = "N", default_value_t = 1 << 16, value_parser = value_parser!(u32).range(1..))]
    pub(crate) max_transactions: u32,

    /// How long the first transfer of a batch waits for others, in microseconds
    #[arg(long, value_name = "US", default_value_t = 200)]
    pub(crate) max_delay: u64,

    /// Seed of the random transfers
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,

    /// Print one JSON object and nothing else
    #[arg(long)]
    pub(crate) json: bool,
}

impl Args {
    pub(crate) fn time(&self) -> Duration {
        Duration::from_secs_f64(self.seconds)
    }
}

fn some_seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(seconds) if seconds > 0.0 && seconds <= 1e6 => Ok(seconds),
        _ => Err("use a number above 0, up to a million".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_sound() {
        use clap::CommandFactory;
        Args::command().debug_assert();
        assert_eq!(some_seconds("0.5"), Ok(0.5));
        assert!(["0", "-1", "NaN", "inf", "x"].iter().all(|text| some_seconds(text).is_err()));
    }
}
