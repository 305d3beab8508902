//! A benchmark with its type erased, for the command line, the runner and the figures.

use std::time::{Duration, Instant};

use clap::{ArgMatches, Command};
use stm_runtime::{Batch, Device, Error, Kernel, Report};

use crate::benchmark::Benchmark;
use crate::contender::Contender;
use crate::error::BenchError;
use crate::options::Options;
use crate::parameters::{Parameters, arguments, names, read};
use crate::transactions::generate;

/// Transactions that are examined to find out which kernels a benchmark has.
const SAMPLE: u64 = 4096;

/// One benchmark of a list, made by [`Entry::of`].
#[derive(Clone, Copy)]
pub struct Entry {
    name: &'static str,
    summary: &'static str,
    source: &'static str,
    augment: fn(Command) -> Command,
    open: fn(&ArgMatches) -> Result<Box<dyn Workload>, clap::Error>,
}

impl Entry {
    /// Returns the entry of a benchmark.
    #[must_use]
    pub const fn of<B: Benchmark>() -> Entry {
        Entry { name: B::NAME, summary: B::SUMMARY, source: B::SOURCE, augment: B::augment_args, open: open::<B> }
    }

    /// Returns its name.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Returns its description, in one line.
    #[must_use]
    pub fn summary(&self) -> &'static str {
        self.summary
    }

    /// Returns its source.
    #[must_use]
    pub fn source(&self) -> &'static str {
        self.source
    }

    /// Returns the names of its parameters.
    #[must_use]
    pub fn parameters(&self) -> Vec<String> {
        names(&self.command())
    }

    /// Returns its parameters as a separate command.
    pub(crate) fn command(&self) -> Command {
        (self.augment)(Command::new(self.name).no_binary_name(true).disable_help_flag(true))
    }

    /// Returns a command with its parameters added.
    pub(crate) fn augment(&self, command: Command) -> Command {
        (self.augment)(command)
    }

    /// Returns the benchmark with these parameters, and all parameters including defaults.
    pub(crate) fn open(&self, given: &Parameters) -> Result<(Box<dyn Workload>, Parameters), BenchError> {
        let command = self.command();
        let known = names(&command);
        if let Some(name) = given.keys().find(|name| !known.contains(name)) {
            let name = name.clone();
            return Err(BenchError::UnknownParameter { benchmark: self.name, name, known: known.join(", ") });
        }
        let wrong = |error: clap::Error| BenchError::Parameters(first_line(&error));
        let matches = command.clone().try_get_matches_from(arguments(&command, given)).map_err(wrong)?;
        let parameters = read(&command, &matches);
        Ok(((self.open)(&matches).map_err(wrong)?, parameters))
    }
}

impl std::fmt::Debug for Entry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Entry").field(&self.name).finish()
    }
}

/// Returns the first line of clap's message, without its usage.
fn first_line(error: &clap::Error) -> String {
    let text = error.to_string();
    text.lines().next().unwrap_or_default().trim_start_matches("error: ").to_owned()
}

fn open<B: Benchmark>(matches: &ArgMatches) -> Result<Box<dyn Workload>, clap::Error> {
    Ok(Box::new(Opened { benchmark: B::from_arg_matches(matches)?, transactions: Vec::new() }))
}

/// A benchmark with its parameters and its transactions.
pub(crate) trait Workload {
    /// Makes the transactions of the batch.
    fn fill(&mut self, transactions: u64, seed: u64);

    /// Runs the whole batch once, on a new state.
    fn run(&self, device: &Device, engine: Contender, options: &Options) -> Result<Ran, Error>;

    /// Compiles what runs of the batch need under each of the engines. A failure here recurs in the runs.
    fn compile(&self, device: &Device, engines: &[Contender], options: &Options);

    /// Returns the kernels of its transactions.
    fn kernels(&self, device: &Device) -> Result<Vec<Kernel>, Error>;
}

/// The result of one run.
pub(crate) struct Ran {
    pub(crate) report: Report,
    /// Time to make the state.
    pub(crate) setup: Duration,
    /// Time to fill the batch.
    pub(crate) fill: Duration,
    /// The result of the invariant check.
    pub(crate) verdict: Result<(), String>,
}

struct Opened<B: Benchmark> {
    benchmark: B,
    transactions: Vec<B::Transaction>,
}

impl<B: Benchmark> Workload for Opened<B> {
    fn fill(&mut self, transactions: u64, seed: u64) {
        self.transactions = generate(&self.benchmark, transactions, seed);
    }

    fn run(&self, device: &Device, engine: Contender, options: &Options) -> Result<Ran, Error> {
        let start = Instant::now();
        let state = self.benchmark.setup(device, options.seed)?;
        let setup = start.elapsed();
        let start = Instant::now();
        let mut batch = device.batch();
        if let Some((first, rest)) = self.transactions.split_first() {
            self.benchmark.push(&state, *first, &mut batch);
            batch.reserve(rest.len())?;
            for transaction in rest {
                self.benchmark.push(&state, *transaction, &mut batch);
            }
        }
        let fill = start.elapsed();
        let report = batch.run_with(&options.of_run(engine))?;
        // A run that a time limit cut short has no final state to check.
        let verdict = match report.is_complete() || !timed_out(&report) {
            true => self.benchmark.check(&state, &report, &self.transactions),
            false => Ok(()),
        };
        Ok(Ran { report, setup, fill, verdict })
    }

    fn compile(&self, device: &Device, engines: &[Contender], options: &Options) {
        let Ok(batch) = self.sample(device, options.transactions, options.seed) else { return };
        for engine in engines {
            let _ = batch.compile_with(&options.of_run(*engine));
        }
    }

    fn kernels(&self, device: &Device) -> Result<Vec<Kernel>, Error> {
        Ok(self.sample(device, SAMPLE, 1)?.kernels().collect())
    }
}

impl<B: Benchmark> Opened<B> {
    /// Returns a batch of the first transactions of a workload of `transactions`, before they are arranged.
    fn sample(&self, device: &Device, transactions: u64, seed: u64) -> Result<Batch<'static>, Error> {
        let state = self.benchmark.setup(device, seed)?;
        let mut batch = device.batch();
        for transaction in generate(&self.benchmark, transactions.min(SAMPLE), seed) {
            self.benchmark.push(&state, transaction, &mut batch);
        }
        Ok(batch)
    }
}

/// Returns whether the run ended because its time limit expired.
pub(crate) fn timed_out(report: &Report) -> bool {
    report
        .unresolved_transactions
        .first()
        .is_some_and(|transaction| transaction.reason == stm_runtime::UnresolvedReason::TimeLimit)
}
