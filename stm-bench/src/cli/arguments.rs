//! The arguments of the command line.

use std::path::PathBuf;

use clap::{Arg, Args, Command, value_parser};
use clap_complete::Shell;
use stm_runtime::tuning::Methods;
use stm_runtime::{Device, Engine, Error};

use crate::contender::Contender;
use crate::engines::Engines;
use crate::entry::Entry;
use crate::options::Options;
use crate::sweep::Axis;

const AFTER: &str = "Exit status: 0 if all is well, 1 if a measurement has no result (a broken invariant, a refusal, a time-out) \
                     or standard output cannot be written, 2 if it could not run, 130 after Ctrl-C.";

/// Where to run, and how to print.
#[derive(Debug, Clone, Args)]
pub(super) struct Common {
    #[arg(long, value_name = "NAME", default_value = "auto", help = format!("Where to run: {}", Device::NAMES))]
    pub(super) device: String,

    /// Print one JSON object and nothing else
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(Debug, Clone, Args)]
pub(super) struct Format {
    /// Print comma-separated values and nothing else
    #[arg(long, conflicts_with = "json")]
    pub(super) csv: bool,
}

/// The engine of a measurement.
#[derive(Debug, Clone, Args)]
pub(super) struct One {
    /// Concurrency control: `plan` for what suits the batch, `plan(priority,serial)` for the same among some methods, `pushed` for the same
    /// in push order, or an engine; `list` shows those there are
    #[arg(long, value_name = "NAME", default_value_t = Contender::Plan(Methods::ALL), value_parser = contender)]
    pub(super) engine: Contender,

    /// With `--profile`: draw the conflicts of the median run to a file, as SVG
    #[arg(long, value_name = "FILE", requires = "profile")]
    pub(super) picture: Option<PathBuf>,
}

/// Several engines.
#[derive(Debug, Clone, Args)]
pub(super) struct Several {
    /// Engines, `plan` or `pushed`, the first of which the others are compared with [default: all engines]
    #[arg(long, value_name = "NAME,..")]
    pub(super) engines: Option<Engines>,
}

/// What belongs to a sweep alone.
#[derive(Debug, Clone, Args)]
pub(super) struct Sweeping {
    /// A parameter and its values, such as `accounts=1000,10000`, or one of transactions, threads, lanes, seed; can be given
    /// again, and then each combination is measured
    #[arg(long, value_name = "NAME=VALUE,..", required = true)]
    pub(super) axis: Vec<Axis>,

    /// A folder for results, plots and a page that puts them together
    #[arg(long, value_name = "FOLDER")]
    pub(super) out: Option<PathBuf>,

    /// Go on with the results in the folder: what is there is not measured again
    #[arg(long, requires = "out", conflicts_with = "overwrite")]
    pub(super) resume: bool,

    /// Begin anew, whatever is in the folder
    #[arg(long, requires = "out")]
    pub(super) overwrite: bool,

    /// Plot throughput on a logarithmic axis
    #[arg(long, requires = "out")]
    pub(super) log: bool,
}

/// What belongs to `kernel` alone.
#[derive(Debug, Clone, Args)]
pub(super) struct Shown {
    /// Only the functions, without engine, scheduler and headers
    #[arg(long)]
    pub(super) body: bool,

    /// What the compiler found out about each function, instead of its text
    #[arg(long, conflicts_with = "body")]
    pub(super) facts: bool,

    /// Compile the functions for this architecture, such as sm_90, and show how long that takes; no GPU is needed
    #[arg(long, value_name = "ARCHITECTURE", num_args = 0..=1, default_missing_value = "sm_90", conflicts_with_all = ["body", "facts"])]
    pub(super) compile: Option<String>,

    /// With `--compile`: call each function with that many sets of arrays
    #[arg(long, value_name = "SETS", default_value_t = 1, requires = "compile", value_parser = value_parser!(u32).range(1..=64))]
    pub(super) sets: u32,

    /// Print one JSON object and nothing else
    #[arg(long)]
    pub(super) json: bool,
}

/// The engine of a text.
#[derive(Debug, Clone, Args)]
pub(super) struct Linked {
    /// Concurrency control on a GPU; `list` shows the engines
    #[arg(long, value_name = "NAME", default_value_t = Engine::default(), value_parser = engine)]
    pub(super) engine: Engine,
}

fn engine(name: &str) -> Result<Engine, Error> {
    name.parse()
}

fn contender(name: &str) -> Result<Contender, Error> {
    name.parse()
}

/// Returns the whole command line for a list of benchmarks.
pub(super) fn command(benchmarks: &[Entry]) -> Command {
    let program = std::env::args().next().unwrap_or_default();
    let program = program.rsplit(['/', '\\']).next().unwrap_or("bench").trim_end_matches(".exe").to_owned();
    let of_machine = |name: &'static str, about: &'static str| Common::augment_args(Command::new(name)).about(about);
    Command::new(program)
        .about("Measures GPU transactions: benchmarks under engines, on a GPU or on CPU threads")
        .version(env!("CARGO_PKG_VERSION"))
        .after_help(AFTER)
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(of_machine("list", "Shows the benchmarks and the engines").mut_arg("device", |arg| arg.hide(true)))
        .subcommand(of_each(benchmarks, "run", "Measures a benchmark under one engine", |command| {
            One::augment_args(Format::augment_args(Common::augment_args(Options::augment_args(command))))
        }))
        .subcommand(of_each(benchmarks, "compare", "Measures a benchmark under several engines in turn", |command| {
            Several::augment_args(Format::augment_args(Common::augment_args(Options::augment_args(command))))
        }))
        .subcommand(of_each(benchmarks, "sweep", "Measures a benchmark along axes, under several engines", |command| {
            let command = Format::augment_args(Common::augment_args(Options::augment_args(command)));
            Sweeping::augment_args(Several::augment_args(command))
        }))
        .subcommand(of_each(benchmarks, "kernel", "Shows the CUDA C of a benchmark's transactions", |command| {
            Shown::augment_args(Linked::augment_args(command))
        }))
        .subcommand(
            Command::new("completions")
                .about("Prints a script by which a shell completes these commands and their options")
                .arg(Arg::new("shell").required(true).value_name("SHELL").value_parser(value_parser!(Shell))),
        )
        .subcommand(of_machine("doctor", "Says what this machine can run, what is missing, and what to do"))
}

/// Returns a command with a subcommand for each benchmark, which takes the benchmark's parameters in addition to its own options.
fn of_each(
    benchmarks: &[Entry],
    name: &'static str,
    about: &'static str,
    with: impl Fn(Command) -> Command,
) -> Command {
    let command = Command::new(name).about(about).subcommand_required(true).arg_required_else_help(true);
    let command =
        command.subcommand_value_name("BENCHMARK").subcommand_help_heading("Benchmarks").disable_help_subcommand(true);
    benchmarks.iter().fold(command, |command, entry| {
        let own = Command::new(entry.name()).about(entry.summary()).after_help(format!("Source: {}", entry.source()));
        let own = with(own).next_help_heading(format!("Parameters of {}", entry.name()));
        command.subcommand(entry.augment(own).about(entry.summary()).long_about(None::<&str>))
    })
}
