//! Compares the ways into this project with each other, and with code by hand on the same machine, on the same transfers.
//!
//! `cargo run --release --example ways --features rayon`

mod bare;
mod hand;
#[path = "../bank/procedures.rs"]
mod procedures;
mod ways;

use std::io::{Write, stdout};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::{Parser, value_parser};
use comfy_table::{CellAlignment, Table, presets::UTF8_FULL_CONDENSED};
use examples::{Transfers, grouped, millions};
use gpu_transactions::Device;
use serde::Serialize;

use ways::{Contestant, Fill, On, Setting, Way};

/// The initial balance: high enough that no transfer waits.
const START: i64 = 1_000_000_000;
/// The ways for many transfers, and for small batches of that many.
const MANY: &[(&str, Way)] = &[
    ("push, one thread", Way::Batch(Fill::Push, On::Device)),
    #[cfg(feature = "rayon")]
    ("par_extend, all threads", Way::Batch(Fill::ParExtend, On::Device)),
    ("lists", Way::Batch(Fill::Lists, On::Device)),
    ("lists that live on the device", Way::Batch(Fill::Kept, On::Device)),
    ("lists that the device computes", Way::Batch(Fill::Computed, On::Device)),
    ("pipeline, lists of several threads", Way::Pipeline),
    ("lists, all CPU threads", Way::Batch(Fill::Lists, On::Cpu(0))),
    ("by hand: spin locks, all threads", Way::SpinLocks),
    ("by hand: a plain loop, one thread", Way::PlainLoop),
];
const FEW: &[(&str, Way)] = &[
    ("push", Way::Batch(Fill::Push, On::Device)),
    ("push, the host may run it", Way::Batch(Fill::Push, On::DeviceOrHost)),
    ("push, two CPU threads", Way::Batch(Fill::Push, On::Cpu(2))),
    ("by hand: a launch that does nothing", Way::Launch),
    ("by hand: a plain loop, one thread", Way::PlainLoop),
];
/// Not in turn with the others, whose data it would push out of the caches.
const APART: &[(&str, Way)] = &[("push, four threads with accounts of their own", Way::Threads(4))];
const SMALL: [usize; 3] = [1, 100, 10_000];

/// Compares the ways into this project with each other, and with code by hand on the same machine, on the same transfers.
///
/// All ways but one run in turn, so that what disturbs the machine disturbs all of them. Times are from the first call to the outcome, medians of
/// the runs after the first; of several threads, the whole time by the number of batches. Exit status: 0 if all is well, 1 if the output cannot be written, 2 if something could not run.
#[derive(Debug, Parser)]
#[command(name = "ways", version)]
struct Args {
    #[arg(long, value_name = "NAME", default_value = "auto", help = format!("Where to run: {}", Device::NAMES))]
    device: String,

    /// Number of accounts [default: 2500000 on a GPU, 100000 on CPU threads]
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(1..))]
    accounts: Option<u32>,

    /// Number of transfers, beside the small batches [default: 16777216 on a GPU, 1000000 on CPU threads]
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(1..))]
    transactions: Option<u32>,

    /// Timed runs of each way; of small batches twenty times as many
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = value_parser!(u32).range(1..=1000))]
    runs: u32,

    /// Seed of the random transfers
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,

    /// Print one JSON object and nothing else
    #[arg(long)]
    json: bool,
}

/// The one object that `--json` prints.
#[derive(Serialize)]
struct Comparison {
    device: String,
    accounts: u32,
    runs: u32,
    ways: Vec<Line>,
}

/// One way. Rates are transfers a second.
#[derive(Serialize)]
struct Line {
    transactions: usize,
    way: &'static str,
    ms: f64,
    least_ms: f64,
    rate: Option<f64>,
    /// By the time of the kernels alone.
    kernel_rate: Option<f64>,
    /// Nanoseconds of the calls for each transfer.
    fill_ns: f64,
}

fn main() -> ExitCode {
    match Args::try_parse() {
        Ok(args) => examples::ending("ways", compare(&args)),
        Err(instead) => examples::help_or_refuse("ways", &instead),
    }
}

fn compare(args: &Args) -> Result<(), Box<dyn std::error::Error>> {
    let device = examples::device(&args.device, args.json)?;
    let usual = match device.is_gpu() {
        true if args.device.starts_with("emulated") => (1000, 2000),
        true => (2_500_000, 1 << 24),
        false => (100_000, 1_000_000),
    };
    let accounts = args.accounts.unwrap_or(usual.0);
    let transactions = args.transactions.unwrap_or(usual.1) as usize;
    let setting = Setting { name: args.device.clone(), device, accounts };
    let mut lines = contest(&setting, MANY, args.seed, transactions, args.runs)?;
    for few in SMALL.into_iter().filter(|few| *few < transactions) {
        lines.extend(contest(&setting, FEW, args.seed, few, 20 * args.runs)?);
        lines.extend(contest(&setting, APART, args.seed, few, args.runs)?);
    }
    let comparison = Comparison { device: setting.device.describe(), accounts, runs: args.runs, ways: lines };
    if args.json {
        writeln!(stdout(), "{}", examples::json(&comparison)?)?;
    } else {
        writeln!(
            stdout(),
            "{} accounts, medians of {} runs in turn\n{}",
            grouped(accounts),
            args.runs,
            table(&comparison.ways)
        )?;
    }
    Ok(())
}

/// Measures ways in turn, after a first round that does not count.
fn contest(
    setting: &Setting,
    ways: &[(&'static str, Way)],
    seed: u64,
    transactions: usize,
    runs: u32,
) -> Result<Vec<Line>, gpu_transactions::Error> {
    let transfers = Transfers::draw(seed, setting.accounts, transactions);
    let mut contestants = Vec::new();
    for way in ways {
        let contestant: Option<Contestant<'_>> = setting.prepare(way.1, &transfers)?;
        contestants.extend(contestant.map(|contestant| (way, contestant, Vec::new())));
    }
    for round in 0..=runs {
        for (_, contestant, times) in &mut contestants {
            let start = Instant::now();
            let (filled, report) = contestant()?;
            let whole = start.elapsed();
            let kernel = report.map_or(Duration::ZERO, |report| report.times.kernel);
            times.extend((round > 0).then_some([whole, filled.map_or(Duration::ZERO, |at| at - start), kernel]));
        }
    }
    Ok(contestants.into_iter().map(|(way, _, times)| Line::new(*way, transactions, &times)).collect())
}

impl Line {
    /// Returns the line of a way, by the times of each run: the whole, the calls, the kernels (0 if not known).
    fn new((way, of): (&'static str, Way), transactions: usize, times: &[[Duration; 3]]) -> Line {
        let [whole, fill, kernel] = [0, 1, 2].map(|which| {
            let mut seconds: Vec<f64> = times.iter().map(|times| times[which].as_secs_f64()).collect();
            seconds.sort_by(f64::total_cmp);
            (seconds[seconds.len() / 2], seconds[0])
        });
        let (count, batches) = (transactions as f64, of.times() as f64);
        let whole = (whole.0 / batches, whole.1 / batches);
        let rate = (of != Way::Launch).then_some(count / whole.0);
        let kernel_rate = (kernel.0 > 0.0).then(|| count / kernel.0);
        let (ms, least_ms) = (1e3 * whole.0, 1e3 * whole.1);
        Line { transactions, way, ms, least_ms, rate, kernel_rate, fill_ns: 1e9 * fill.0 / count }
    }
}

fn table(lines: &[Line]) -> Table {
    let mut table = Table::new();
    table.load_style(UTF8_FULL_CONDENSED);
    table.set_header(["transfers", "way", "ms", "least", "M/s", "kernel M/s", "calls, ns each"]);
    for line in lines {
        table.add_row([
            grouped(line.transactions as u64),
            line.way.to_owned(),
            format!("{:.4}", line.ms),
            format!("{:.4}", line.least_ms),
            line.rate.map_or(String::new(), millions),
            line.kernel_rate.map_or(String::new(), millions),
            format!("{:.2}", line.fill_ns),
        ]);
    }
    for column in table.column_iter_mut().filter(|column| column.index != 1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_medians_and_the_command_line_is_sound() {
        use clap::CommandFactory;
        Args::command().debug_assert();
        let times = [30, 10, 20].map(|ms| [ms, ms / 2, 1].map(Duration::from_millis));
        let line = Line::new(("a way", Way::Pipeline), 1000, &times);
        assert_eq!((line.ms, line.least_ms, line.rate), (20.0, 10.0, Some(50_000.0)));
        assert_eq!((line.kernel_rate, line.fill_ns), (Some(1e6), 10_000.0));
    }
}
