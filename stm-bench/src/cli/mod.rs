//! The command line: `list`, `run`, `compare`, `sweep`, `kernel`, `completions` and `doctor` for a list of benchmarks.

mod arguments;
mod compile;
mod doctor;
mod kernel;
mod list;
mod measure;
#[cfg(test)]
mod tests;

use std::ffi::OsString;
use std::io::{self, Write};
use std::process::ExitCode;

use clap_complete::Shell;

use crate::benchmark::Benchmark;
use crate::entry::Entry;
use crate::error::BenchError;
use crate::output::{REFUSED, status, written};

/// All is well.
pub(crate) const GOOD: u8 = 0;

/// Runs the command line of a program with one benchmark: `fn main() -> ExitCode { stm_bench::main::<MyBenchmark>() }`.
#[must_use]
pub fn main<B: Benchmark>() -> ExitCode {
    cli(&[Entry::of::<B>()])
}

/// Runs the command line of a program with several benchmarks: `stm_bench::cli(&[Entry::of::<One>(), Entry::of::<Two>()])`.
///
/// Exit status: 0 if all is well, 1 if a measurement has no result or standard output cannot be written, 2 if it could not run, 130
/// after Ctrl-C, and 141, without a message, if standard output is closed.
#[must_use]
pub fn cli(benchmarks: &[Entry]) -> ExitCode {
    // Not locked: transactions that print do so from other threads.
    ExitCode::from(run_as(benchmarks, std::env::args_os(), &mut io::stdout()))
}

/// Does the same with other arguments, the program's name first, and another output. Returns the exit status.
pub fn run_as(benchmarks: &[Entry], arguments: impl IntoIterator<Item = OsString>, out: &mut dyn Write) -> u8 {
    let command = arguments::command(benchmarks);
    let program = command.get_name().to_owned();
    let done = match command.try_get_matches_from(arguments) {
        Ok(matches) => execute(benchmarks, &matches, out),
        Err(asked) => tell(&asked, out),
    };
    status(&program, done, out)
}

/// Prints clap's output instead of arguments: the requested help, or the error in them.
pub(crate) fn tell(asked: &clap::Error, out: &mut dyn Write) -> Result<u8, BenchError> {
    if asked.exit_code() == 0 {
        return write!(out, "{}", asked.render()).map(|()| GOOD).map_err(written);
    }
    let _ = asked.print();
    Ok(REFUSED)
}

fn execute(benchmarks: &[Entry], matches: &clap::ArgMatches, out: &mut dyn Write) -> Result<u8, BenchError> {
    let entry = |chosen: &clap::ArgMatches| {
        let (name, own) = chosen.subcommand().map_or(("", chosen), |(name, own)| (name, own));
        let known = || benchmarks.iter().map(Entry::name).collect::<Vec<_>>().join(", ");
        let unknown = || BenchError::UnknownBenchmark { name: name.to_owned(), known: known() };
        Ok((*benchmarks.iter().find(|entry| entry.name() == name).ok_or_else(unknown)?, own.clone()))
    };
    match matches.subcommand() {
        Some(("run", chosen)) => entry(chosen).and_then(|(entry, own)| measure::run(&entry, &own, out)),
        Some(("compare", chosen)) => entry(chosen).and_then(|(entry, own)| measure::compare(&entry, &own, out)),
        Some(("sweep", chosen)) => entry(chosen).and_then(|(entry, own)| measure::sweep(&entry, &own, out)),
        Some(("kernel", chosen)) => entry(chosen).and_then(|(entry, own)| kernel::show(&entry, &own, out)),
        Some(("completions", chosen)) => complete(benchmarks, chosen, out),
        Some(("doctor", chosen)) => doctor::doctor(chosen, out),
        Some((_, chosen)) => list::list(benchmarks, chosen, out),
        None => Ok(REFUSED),
    }
}

/// `completions`: prints the script for a shell.
fn complete(benchmarks: &[Entry], chosen: &clap::ArgMatches, out: &mut dyn Write) -> Result<u8, BenchError> {
    let Some(shell) = chosen.get_one::<Shell>("shell") else { return Ok(REFUSED) };
    let mut command = arguments::command(benchmarks);
    let program = command.get_name().to_owned();
    // Generators panic if they cannot write, so they write to memory.
    let mut script = Vec::new();
    clap_complete::generate(*shell, &mut command, program, &mut script);
    out.write_all(&script).map(|()| GOOD).map_err(written)
}
