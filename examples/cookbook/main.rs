//! The ten programs of the guide's cookbook, one after the other on one device, with their rates. Each checks its invariant.
//!
//! `cargo run --release --example cookbook -- --help`

use std::error::Error as AnyError;
use std::io::{Write, stdout};
use std::process::ExitCode;

use clap::Parser;
use comfy_table::presets::UTF8_FULL_CONDENSED;
use comfy_table::{CellAlignment, Table};
use examples::{grouped, json, millions};
use gpu_transactions::{Device, Error, Report};
use serde::Serialize;

/// Fills a batch with about as many transactions as asked for, runs it and asserts its invariant.
type Run = fn(&Device, u32) -> Result<Report, Error>;

/// What is in the page: made by `build.rs`.
#[allow(dead_code, reason = "each program has a `main` of its own")]
mod programs {
    use super::Run;

    include!(concat!(env!("OUT_DIR"), "/cookbook.rs"));
}

/// Runs the programs of docs/guide/cookbook.md, and prints how fast they are.
///
/// A rate is that of the transactions that ended, by the device's time without compiling and copying: the median of all runs after
/// a first one. Exit status: 0 if all is well, 2 if a program could not run, 101 if an invariant is broken.
#[derive(Debug, Parser)]
#[command(name = "cookbook", version)]
struct Args {
    #[arg(long, value_name = "NAME", default_value = "auto", help = format!("Where to run: {}", Device::NAMES))]
    device: String,

    /// Number of transactions of each batch
    #[arg(long, value_name = "N", default_value_t = 1_000_000, value_parser = clap::value_parser!(u32).range(100..=100_000_000))]
    transactions: u32,

    /// How often to run each program after the first time
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..))]
    runs: u32,

    /// Only programs with this text in their title
    #[arg(long, value_name = "TEXT", default_value = "")]
    only: String,

    /// Print one JSON object and nothing else
    #[arg(long)]
    json: bool,
}

/// The one object that `--json` prints.
#[derive(Serialize)]
struct Object<'a> {
    device: &'a str,
    transactions: u32,
    runs: u32,
    programs: &'a [Row],
}

/// What is known of one program: of the run with the median rate.
#[derive(Serialize)]
struct Row {
    program: &'static str,
    committed: u64,
    rejected: u64,
    unresolved: u64,
    conflicts: u64,
    postponements: u64,
    engine: String,
    /// Transactions that ended, per second of the device's time.
    per_second: f64,
    /// The whole of `run`, in seconds, without compiling.
    run_seconds: f64,
}

impl Row {
    fn of(program: &'static str, report: &Report) -> Row {
        let ended = report.committed + report.rejected;
        let seconds = report.times.kernel.as_secs_f64().max(f64::MIN_POSITIVE);
        Row {
            program,
            committed: report.committed,
            rejected: report.rejected,
            unresolved: report.unresolved,
            conflicts: report.conflicts.total(),
            postponements: report.postponements,
            engine: report.engine.to_string(),
            per_second: ended as f64 / seconds,
            run_seconds: report.times.total.saturating_sub(report.times.compile).as_secs_f64(),
        }
    }
}

fn main() -> ExitCode {
    match Args::try_parse() {
        Ok(args) => examples::ending("cookbook", cookbook(&args)),
        Err(instead) => examples::help_or_refuse("cookbook", &instead),
    }
}

fn cookbook(args: &Args) -> Result<(), Box<dyn AnyError>> {
    let device = examples::device(&args.device, args.json)?;
    let is_asked = |(title, _): &&(&str, Run)| title.to_lowercase().contains(&args.only.to_lowercase());
    let chosen: Vec<&(&str, Run)> = programs::ALL.iter().filter(is_asked).collect();
    if chosen.is_empty() {
        let titles: Vec<&str> = programs::ALL.iter().map(|(title, _)| *title).collect();
        return Err(format!("no title has `{}` in it; they are {}", args.only, titles.join(", ")).into());
    }
    let rows = chosen
        .into_iter()
        .map(|(title, run)| measured(args, &device, title, *run))
        .collect::<Result<Vec<Row>, Error>>()?;
    if args.json {
        let device = device.describe();
        let Args { transactions, runs, .. } = *args;
        let object = Object { device: &device, transactions, runs, programs: &rows };
        writeln!(stdout(), "{}", json(&object)?)?;
    } else {
        writeln!(stdout(), "{}", table(&rows))?;
    }
    Ok(())
}

/// Runs a program once to warm up, and then as often as asked for. Returns the run with the median rate.
fn measured(args: &Args, device: &Device, title: &'static str, run: Run) -> Result<Row, Error> {
    run(device, args.transactions)?;
    let mut rows = Vec::new();
    for _ in 0..args.runs {
        rows.push(Row::of(title, &run(device, args.transactions)?));
    }
    rows.sort_by(|a, b| a.per_second.total_cmp(&b.per_second));
    Ok(rows.swap_remove(rows.len() / 2))
}

fn table(rows: &[Row]) -> Table {
    let mut table = Table::new();
    table.load_style(UTF8_FULL_CONDENSED);
    table.set_header(["program", "million/s", "run ms", "committed", "rejected", "unresolved", "conflicts", "engine"]);
    for row in rows {
        let Row { committed, rejected, unresolved, conflicts, .. } = *row;
        table.add_row([
            row.program.to_owned(),
            millions(row.per_second),
            format!("{:.1}", row.run_seconds * 1e3),
            grouped(committed),
            grouped(rejected),
            grouped(unresolved),
            grouped(conflicts),
            row.engine.clone(),
        ]);
    }
    table.column_iter_mut().skip(1).take(6).for_each(|column| column.set_cell_alignment(CellAlignment::Right));
    table
}
