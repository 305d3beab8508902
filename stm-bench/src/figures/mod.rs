//! Reproduces the figures of papers: a table states what each of them plots, and the runner measures and draws it.

mod arguments;
mod made;
mod make;
mod reading;
mod table;
#[cfg(test)]
mod tests;

use std::ffi::OsString;
use std::io::{self, Write};
use std::process::ExitCode;

use clap::Parser;
use stm_runtime::Device;

use crate::cli::{GOOD, tell};
use crate::entry::Entry;
use crate::error::BenchError;
use crate::interrupt::{INTERRUPTED, Stop};
use crate::journal::{Journal, Session};
use crate::output::{self, BAD, status, written};
use crate::sweep::End;
use crate::target::Target;
use arguments::Arguments;
use made::{FiguresJson, Made};
use make::Maker;
use table::{Figure, Table};

/// Runs the command line of a program that reproduces figures. `table` is a TOML text that states what each of them plots.
///
/// Exit status: 0 if all is well, 1 if a measurement has no result or standard output cannot be written, 2 if it could not run, 130
/// after Ctrl-C, and 141, without a message, if standard output is closed.
#[must_use]
pub fn figures(table: &str, benchmarks: &[Entry]) -> ExitCode {
    // Not locked: transactions that print do so from other threads.
    ExitCode::from(figures_as(table, benchmarks, std::env::args_os(), &mut io::stdout()))
}

/// Does the same with other arguments, the program's name first, and another output. Returns the exit status.
pub fn figures_as(
    table: &str,
    benchmarks: &[Entry],
    arguments: impl IntoIterator<Item = OsString>,
    out: &mut dyn Write,
) -> u8 {
    let done = match Arguments::try_parse_from(arguments) {
        Ok(arguments) => Table::parse(table).and_then(|table| execute(&table, benchmarks, &arguments, out)),
        Err(asked) => tell(&asked, out),
    };
    status("figures", done, out)
}

fn execute(table: &Table, benchmarks: &[Entry], asked: &Arguments, out: &mut dyn Write) -> Result<u8, BenchError> {
    let chosen = table.find(asked.paper.as_deref(), asked.figure.as_deref())?;
    if asked.list {
        return list(&chosen, benchmarks, asked, out);
    }
    let (maker, (missing, end)) = if asked.draw {
        let journal = Journal::read(&asked.out)?;
        let target = Target::kept(&journal).ok_or_else(|| BenchError::NothingKept(asked.out.clone()))?;
        let maker = Maker::new(table, benchmarks, asked, target, journal);
        let missing = maker.plan_all(&chosen).1;
        (maker, (missing, End::Done))
    } else {
        let device = asked.device.parse::<Device>()?;
        // Opened last: a command that cannot run must not delete earlier results.
        let mut journal = Journal::open(&asked.out, asked.earlier())?;
        journal.begin(Session::now(&device))?;
        let mut maker = Maker::new(table, benchmarks, asked, Target::of(&device), journal);
        let made = maker.make(&chosen, &device, &Stop::on_interrupt())?;
        (maker, made)
    };
    let (page, figures) = maker.write(&chosen, &missing)?;
    let whole = figures.iter().all(Made::is_whole);
    let page = page.display().to_string();
    let text = if asked.json { json(Some(page), figures) } else { format!("{page}\n") };
    out.write_all(text.as_bytes()).map_err(written)?;
    Ok(match end {
        End::Interrupted => INTERRUPTED,
        End::Done if whole => GOOD,
        End::Done => BAD,
    })
}

fn list(chosen: &[&Figure], benchmarks: &[Entry], asked: &Arguments, out: &mut dyn Write) -> Result<u8, BenchError> {
    let known = |figure: &Figure| benchmarks.iter().any(|entry| entry.name() == figure.benchmark);
    let lacks = |figure: &Figure| (!known(figure)).then(|| "this program lacks the benchmark".to_owned());
    let figures: Vec<Made<'_>> = chosen.iter().map(|figure| Made::of(figure, lacks(figure))).collect();
    let text = if asked.json { json(None, figures) } else { figures.iter().map(Made::line).collect() };
    out.write_all(text.as_bytes()).map_err(written)?;
    Ok(GOOD)
}

fn json(page: Option<String>, figures: Vec<Made<'_>>) -> String {
    output::json(&FiguresJson { page, figures })
}
