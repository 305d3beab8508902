//! A bank: transfers that wait for funds, deposits, and audits of a few accounts, all at once in one batch.
//!
//! `cargo run --release --example bank -- --help`

mod bar;
mod business;
mod cli;
mod draws;
mod procedures;
mod runs;
mod summary;

use std::io::{Write, stdout};
use std::process::ExitCode;
use std::sync::atomic::Ordering;
use std::time::Instant;

use clap::Parser;
use examples::remark;
use gpu_transactions::options::Outcomes;
use gpu_transactions::{Batch, Device, Error, Report, RunOptions, Tuning};

use business::{Books, fill};
use cli::{Args, Fill};
use draws::Draws;
use runs::Runs;
use summary::{Done, Summary};

fn main() -> ExitCode {
    match Args::try_parse() {
        Ok(args) => examples::ending("bank", bank(&args)),
        Err(instead) => examples::help_or_refuse("bank", &instead),
    }
}

fn bank(args: &Args) -> Result<ExitCode, Box<dyn std::error::Error>> {
    if args.source {
        write!(stdout(), "{}", procedures::transfer::kernel().cuda_source()?)?;
        return Ok(ExitCode::SUCCESS);
    }
    let device = examples::device(&args.device, args.json)?;
    let summary = run(args, &device)?;
    if args.json {
        writeln!(stdout(), "{}", summary.json(args)?)?;
    } else {
        write!(stdout(), "{}\n{}{}", summary.done.report, summary.explain(), summary.measured())?;
    }
    Ok(summary.exit_code())
}

fn run(args: &Args, device: &Device) -> Result<Summary, Error> {
    let stop = examples::stop_on_interrupt("bank");
    let books = Books::open(device, args.accounts)?;
    let draws = Draws::new(args, &stop);
    let total_before = books.total()?;
    let options = options(args)?.stop_when(stop.clone());
    let mut batch = device.batch();
    let mut done = one_run(args, &mut batch, &books, &draws, &options)?;
    let mut runs = Runs::default();
    for _ in 1..args.runs {
        if stop.load(Ordering::Relaxed) {
            break;
        }
        // The memory of the earlier run is free again before the next one.
        drop(done);
        books.reset()?;
        done = one_run(args, &mut batch, &books, &draws, &options)?;
        runs.add(&done);
    }
    let total_after = books.total()?;
    save_tuning(args, &done.report)?;
    Ok(Summary { done, runs: runs.times(), total_before, total_after, stopped: stop.load(Ordering::Relaxed) })
}

/// Fills a batch, in the memory that it has from an earlier run, and runs it.
fn one_run<'a>(
    args: &Args,
    batch: &mut Batch<'a>,
    books: &Books,
    draws: &'a Draws,
    options: &RunOptions,
) -> Result<Done, Error> {
    let start = Instant::now();
    // What the device draws stays what it is.
    let is_filled = args.fill == Fill::Index && !batch.is_empty();
    let audit = if is_filled {
        None
    } else {
        batch.clear();
        fill(batch, books, draws, args)?
    };
    let filling = start.elapsed();
    let report = if args.json {
        batch.run_with(options)?
    } else {
        let bar = bar::hidden(batch.len());
        let report = batch.run_with(&bar::attach(&bar, options.clone()))?;
        bar.finish_and_clear();
        report
    };
    Ok(Done { report, audit, filling, whole: start.elapsed() })
}

/// Returns the run options of the command line.
fn options(args: &Args) -> Result<RunOptions, Error> {
    let selection = match &args.engine_file {
        Some(file) => Tuning::load(file)?.into(),
        None => args.engine.clone(),
    };
    let mut options = RunOptions::new()
        .engine(selection)
        .order(args.order.into())
        .check(args.check)
        .profile(args.profile)
        .seed(args.seed);
    if let Some(threads) = args.threads {
        options = options.threads(threads as usize);
    }
    if let Some(lanes) = args.lanes {
        options = options.lanes(lanes);
    }
    if args.fill == Fill::Index {
        options = options.outcomes(Outcomes::Counted);
    }
    Ok(options)
}

/// Writes the tuning to the file that the user named.
fn save_tuning(args: &Args, report: &Report) -> Result<(), Error> {
    match (&args.save_tuning, &report.tuning) {
        (Some(file), Some(tuning)) => tuning.save(file),
        (Some(_), None) => {
            remark(format_args!("bank: nothing to save: no engine was chosen; use --engine auto"));
            Ok(())
        }
        (None, _) => Ok(()),
    }
}
