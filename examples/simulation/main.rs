//! A simulation: a town whose people move house, step by step on the device. The host only starts the steps.
//!
//! `cargo run --release --example simulation -- --help`

mod cli;
mod model;
mod picture;

use std::fs::{self, File};
use std::io::{Write, stdout};
use std::process::ExitCode;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use clap::Parser;
use examples::{grouped, millions};
use gpu_transactions::{Device, Report, RunOptions};
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;

use cli::Args;
use model::Town;

/// The one object that `--json` prints.
#[derive(Debug, Default, Serialize)]
struct Summary {
    device: String,
    order: String,
    homes: u64,
    steps: u64,
    transactions: u64,
    /// Seconds of all steps and counts, without compilation and checks.
    seconds: f64,
    /// Seconds of their kernels, or of the work of CPU threads.
    kernel: f64,
    /// Transactions per second, by both.
    end_to_end_rate: f64,
    rate: f64,
    /// The first rate as a part of the second.
    ratio: f64,
    /// The share of neighbours of one kind, at the beginning and each time that it was counted.
    alike: Vec<f64>,
    /// Whether there are as many people of each kind as at the beginning.
    is_whole: bool,
    serializable: Option<bool>,
    /// A sum of who lives where: the same in each run in push order.
    digest: String,
    stopped: bool,
    /// Who lives where, before and after.
    #[serde(skip)]
    maps: [Vec<u8>; 2],
}

fn main() -> ExitCode {
    match Args::try_parse() {
        Ok(args) => examples::ending("simulation", simulation(&args)),
        Err(instead) => examples::help_or_refuse("simulation", &instead),
    }
}

fn simulation(args: &Args) -> Result<ExitCode, Box<dyn std::error::Error>> {
    let device = examples::device(&args.device, args.json)?;
    let bits = args.bits.unwrap_or(if device.is_gpu() { 10 } else { 7 });
    let picture = create(args)?;
    let summary = run(args, &device, bits)?;
    picture::put(&picture, &summary.maps, 1 << bits).map_err(|why| format!("{}: {why}", args.picture.display()))?;
    if args.json {
        writeln!(stdout(), "{}", examples::json(&summary)?)?;
    } else {
        write!(stdout(), "{}", summary.text(args))?;
    }
    Ok(summary.exit_code())
}

/// Creates the file of the picture, before the work begins.
fn create(args: &Args) -> Result<File, String> {
    let folder = args.picture.parent().map_or(Ok(()), fs::create_dir_all);
    folder.and_then(|()| File::create(&args.picture)).map_err(|why| format!("{}: {why}", args.picture.display()))
}

/// Runs the steps.
fn run(args: &Args, device: &Device, bits: u32) -> Result<Summary, Box<dyn std::error::Error>> {
    let stop = examples::stop_on_interrupt("simulation");
    let options = RunOptions::new().order(args.order.into()).check(args.check).seed(args.seed);
    let town = Town::new(device, bits, args.seed, options.stop_when(stop.clone()))?;
    let (steps, before) = (args.steps.unwrap_or(if device.is_gpu() { 1000 } else { 100 }), town.people()?);
    let bar = if args.json { ProgressBar::hidden() } else { ProgressBar::new(steps) };
    bar.set_style(ProgressStyle::with_template("{elapsed:>4} [{bar:40}] {pos} of {len} steps; {msg}")?);
    let mut summary = Summary { homes: before.len() as u64, ..Summary::default() };
    let (mut batch, start, mut apart) = (device.batch(), Instant::now(), Duration::ZERO);
    for step in 0..=steps {
        if step % args.every == 0 || step == steps {
            let (alike, report) = town.alike(&mut batch)?;
            apart += summary.add(&report);
            summary.alike.push(alike);
            bar.set_message(format!("{:.1} % of neighbours are alike", 100.0 * alike));
        }
        if step == steps || stop.load(Ordering::Relaxed) {
            break;
        }
        apart += summary.add(&town.step(&mut batch, step, args.wanted)?);
        summary.steps += 1;
        bar.inc(1);
    }
    summary.seconds = start.elapsed().saturating_sub(apart).as_secs_f64();
    bar.finish_and_clear();
    let after = town.people()?;
    let kinds = |people: &[u8]| [0, 1, 2].map(|kind| people.iter().filter(|who| **who == kind).count());
    summary.end_to_end_rate = summary.transactions as f64 / summary.seconds;
    summary.rate = summary.transactions as f64 / summary.kernel;
    let digest =
        after.iter().fold(0xcbf2_9ce4_8422_2325_u64, |sum, who| (sum ^ u64::from(*who)).wrapping_mul(0x100_0000_01b3));
    Ok(Summary {
        device: device.describe(),
        order: format!("{:?}", args.order).to_lowercase(),
        ratio: summary.end_to_end_rate / summary.rate,
        is_whole: kinds(&before) == kinds(&after),
        digest: format!("{digest:016x}"),
        stopped: stop.load(Ordering::Relaxed),
        maps: [before, after],
        ..summary
    })
}

impl Summary {
    /// Adds a run. Returns the time for compilation and checks.
    fn add(&mut self, report: &Report) -> Duration {
        self.transactions += report.transactions;
        self.kernel += report.times.kernel.as_secs_f64();
        if let Some(holds) = report.serializable() {
            self.serializable = Some(holds && self.serializable != Some(false));
        }
        report.times.compile + report.times.check
    }

    fn text(&self, args: &Args) -> String {
        let share = |alike: Option<&f64>| 100.0 * alike.copied().unwrap_or_default();
        let checked = match self.serializable {
            None => "not checked; --check does that",
            Some(true) => "checked: each has the outcome of a one-at-a-time order",
            Some(false) => "THE CHECK FAILED: some have no outcome of a one-at-a-time order",
        };
        let whole = match self.is_whole {
            true => "There are as many people of each kind as at the beginning.",
            false => "THE NUMBER OF PEOPLE CHANGED: a step lost some, or made some.",
        };
        format!(
            "{} steps of {} transactions; the steps were {checked}.\n\
             {whole} Of neighbours, {:.1} % were alike at the beginning, and {:.1} % are at the end.\n\
             End to end {} million transactions a second, which is {:.2} of the kernels' rate, {} million.\n\
             The town's digest is {}. The picture: {}\n",
            grouped(self.steps),
            grouped(self.homes),
            share(self.alike.first()),
            share(self.alike.last()),
            millions(self.end_to_end_rate),
            self.ratio,
            millions(self.rate),
            self.digest,
            args.picture.display()
        )
    }

    fn exit_code(&self) -> ExitCode {
        if !self.is_whole || self.serializable == Some(false) {
            return ExitCode::from(1);
        }
        if self.stopped { ExitCode::from(130) } else { ExitCode::SUCCESS }
    }
}
