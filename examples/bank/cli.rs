//! The command line.

use std::path::PathBuf;

use clap::{Parser, ValueEnum};
use examples::OrderName;
use gpu_transactions::{Device, Engine, Selection};

/// Moves money between accounts: a batch of transactions on a GPU, or on CPU threads without a GPU.
///
/// Whatever runs at the same time, the outcome is that of some one-at-a-time order, so the total stays what it was. Exit
/// status: 0 if all is well, 1 if money was lost or made, --check finds the outcome wrong or the output cannot be written, 2 if
/// the bank could not run, 130 after Ctrl-C.
#[derive(Debug, Parser)]
#[command(name = "bank", version)]
pub(crate) struct Args {
    #[arg(long, value_name = "NAME", default_value = "auto", help = format!("Where to run: {}", Device::NAMES))]
    pub(crate) device: String,

    /// Concurrency control on a GPU: an engine, or auto to measure some on the first transactions and take the best
    #[arg(long, value_name = "NAME", default_value_t = Selection::default(), long_help = engines())]
    pub(crate) engine: Selection,

    /// Run with the engine and the shape of launches that --save-tuning wrote
    #[arg(long, value_name = "FILE", conflicts_with = "engine")]
    pub(crate) engine_file: Option<PathBuf>,

    /// Write what --engine auto chose, with every measurement, to a file
    #[arg(long, value_name = "FILE")]
    pub(crate) save_tuning: Option<PathBuf>,

    /// Number of accounts, each with 1,000 units of money, and as much cash in its customer's purse
    #[arg(long, value_name = "N", default_value_t = 1_000_000, value_parser = some_accounts)]
    pub(crate) accounts: u32,

    /// Number of transactions in the batch
    #[arg(long, value_name = "N", default_value_t = 2_000_000)]
    pub(crate) transactions: u64,

    /// What the batch holds: of 20 transactions about 18 are transfers, 1 is a deposit and 1 an audit, as far as chosen here
    #[arg(
        long,
        value_name = "PROCEDURES",
        value_enum,
        value_delimiter = ',',
        default_value = "transfer,deposit,audit"
    )]
    pub(crate) procedures: Vec<ProcedureName>,

    /// How the batch is filled: from whole lists of arguments, or by one call after the other in a loop
    #[arg(long, value_name = "WAY", value_enum, default_value_t = Fill::Columns)]
    pub(crate) fill: Fill,

    /// How often to fill a batch with the same transactions and run it; the last run is reported, and with --json
    /// what the runs after the first one took
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) runs: u32,

    /// Threads in flight: CPU threads or GPU threads [default: chosen by the device]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) threads: Option<u32>,

    /// Lanes of each GPU warp that work, 1 to 32 [default: chosen by the device]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=32))]
    pub(crate) lanes: Option<u32>,

    /// Seed of the random transactions; the same seed makes the same batch
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,

    /// The one-at-a-time order whose outcome the run has
    #[arg(long, value_name = "ORDER", value_enum, default_value_t = OrderName::Any)]
    pub(crate) order: OrderName,

    /// Record what every transaction reads and writes, and prove that the outcome is that of a one-at-a-time order
    #[arg(long)]
    pub(crate) check: bool,

    /// Count the conflicts by source line, account and procedure; costs time
    #[arg(long)]
    pub(crate) profile: bool,

    /// Print one JSON object and nothing else
    #[arg(long)]
    pub(crate) json: bool,

    /// Print the CUDA C that `transfer` becomes, and run nothing
    #[arg(long, conflicts_with = "json")]
    pub(crate) source: bool,
}

/// How a batch is filled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Fill {
    /// A list for each argument, procedure by procedure
    Columns,
    /// One call after the other
    Push,
    /// Only transfers, which the device draws from their indices; outcomes are only counted
    Index,
    /// Calls by several threads, procedure by procedure
    #[cfg(feature = "rayon")]
    ParExtend,
}

/// A procedure by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ProcedureName {
    /// Moves money once the funds are there
    Transfer,
    /// Pays cash into an account
    Deposit,
    /// Adds up a few accounts
    Audit,
}

impl ProcedureName {
    /// Returns its share of the transactions.
    pub(crate) fn weight(self) -> u32 {
        match self {
            ProcedureName::Transfer => 18,
            ProcedureName::Deposit | ProcedureName::Audit => 1,
        }
    }
}

/// Returns the values of `--engine`.
fn engines() -> String {
    let mut text =
        "Concurrency control on a GPU: `plan` for an engine that suits what is known of the batch, `auto` to measure \
                    some on the first transactions and take the best, or an engine, with parameters as in \
                    `name(parameter=value)`:\n"
            .to_owned();
    for engine in Engine::ALL {
        text += &format!("\n- {engine}: {}", engine.summary());
        for (parameter, _) in engine.parameters() {
            text += &format!("\n    {parameter}");
        }
    }
    text
}

fn some_accounts(text: &str) -> Result<u32, String> {
    match text.parse::<u64>() {
        Ok(0) => Err("a bank needs at least one account".into()),
        Ok(number) => u32::try_from(number).map_err(|_| format!("at most {} accounts", u32::MAX)),
        Err(why) => Err(why.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_sound() {
        use clap::CommandFactory;
        Args::command().debug_assert();
    }

    #[test]
    fn the_help_lists_engines_and_their_parameters() {
        use clap::CommandFactory;
        let help = Args::command().render_long_help().to_string();
        for engine in Engine::ALL {
            assert!(help.contains(&format!("- {engine}: ")), "{engine}: {help}");
            assert!(engine.parameters().all(|(parameter, _)| help.contains(parameter.name)), "{engine}: {help}");
        }
    }

    #[test]
    fn a_bank_without_accounts_is_refused() {
        assert!(some_accounts("0").unwrap_err().contains("at least one account"));
        assert_eq!(some_accounts("25000000"), Ok(25_000_000));
        assert!(some_accounts("4294967296").is_err() && some_accounts("-1").is_err());
    }
}
