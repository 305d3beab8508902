//! A service: threads submit transfers to a pipeline, which runs them in batches, and each transfer gets its outcome.
//!
//! `cargo run --release --example service -- --help`

mod cli;
mod clients;
mod latency;
mod summary;

use std::io::{Write, stdout};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use clap::Parser;
use examples::millions;
use gpu_transactions::prelude::*;
use gpu_transactions::{Pipeline, PipelineOptions};
use indicatif::{ProgressBar, ProgressStyle};

use cli::Args;
use clients::Clients;
use latency::Latencies;
use summary::Summary;

/// The time between two live lines.
const LINE_EVERY: Duration = Duration::from_millis(250);
/// The initial balance of every account.
const START: i64 = 1000;

/// Moves `amount`, or rejects if it is not there.
#[gpu_transaction]
fn transfer(tx: &mut Tx, accounts: &Shared<i64>, from: u32, to: u32, amount: i64) -> TxResult {
    let balance = tx.read(accounts, from)?;
    if balance < amount {
        tx.reject(1)?;
    }
    tx.write(accounts, from, balance - amount)?;
    let target = tx.read(accounts, to)?;
    tx.write(accounts, to, target + amount)
}

fn main() -> ExitCode {
    match Args::try_parse() {
        Ok(args) => examples::ending("service", service(&args)),
        Err(instead) => examples::help_or_refuse("service", &instead),
    }
}

fn service(args: &Args) -> Result<ExitCode, Box<dyn std::error::Error>> {
    let device = examples::device(&args.device, args.json)?;
    let summary = run(args, &device)?;
    if args.json {
        writeln!(stdout(), "{}", summary.json(args)?)?;
    } else {
        write!(stdout(), "{}", summary.text())?;
    }
    Ok(summary.exit_code())
}

fn run(args: &Args, device: &Device) -> Result<Summary, Error> {
    let interrupted = examples::stop_on_interrupt("service");
    let accounts = device.shared(&vec![START; args.accounts as usize])?;
    compile(device, &accounts)?;
    let options = PipelineOptions::new().max_transactions(args.max_transactions as usize);
    let pipeline = device.pipeline(options.max_delay(Duration::from_micros(args.max_delay)))?;
    let (latencies, stop, start) = (Latencies::default(), AtomicBool::new(false), Instant::now());
    let clients = Clients { args, pipeline: &pipeline, accounts: &accounts, latencies: &latencies, stop: &stop };
    let submitted = thread::scope(|scope| {
        let threads: Vec<_> = (0..args.threads)
            .map(|number| {
                scope.spawn({
                    let clients = &clients;
                    move || clients.run(number)
                })
            })
            .collect();
        show(args, &pipeline, &latencies, &interrupted);
        stop.store(true, Ordering::Relaxed);
        threads.into_iter().map(|thread| thread.join().expect("a client does not panic")).sum::<Result<u64, Error>>()
    })?;
    let totals = pipeline.close()?;
    Ok(Summary {
        device: device.describe(),
        submitted,
        totals,
        seconds: start.elapsed().as_secs_f64(),
        latency: latencies.since(0),
        money: [START * i64::from(args.accounts), accounts.to_vec()?.iter().sum()],
        is_interrupted: interrupted.load(Ordering::Relaxed),
    })
}

/// Compiles the kernel, so that no transfer waits for that.
fn compile(device: &Device, accounts: &Shared<i64>) -> Result<(), Error> {
    let mut batch = device.batch();
    batch.push(transfer::call(accounts, 0, 0, 0));
    batch.run()?;
    Ok(())
}

/// Shows the live line until the time is up.
fn show(args: &Args, pipeline: &Pipeline, latencies: &Latencies, interrupted: &AtomicBool) {
    let style = ProgressStyle::with_template("{elapsed:>4} {msg}").expect("the template is constant");
    let line = if args.json { ProgressBar::hidden() } else { ProgressBar::new_spinner() }.with_style(style);
    let (start, mut last) = (Instant::now(), (Instant::now(), 0, 0));
    while !interrupted.load(Ordering::Relaxed) {
        let rest = args.time().saturating_sub(start.elapsed());
        if rest.is_zero() {
            break;
        }
        thread::sleep(rest.min(LINE_EVERY));
        if line.is_hidden() {
            continue;
        }
        let (now, served, recent) = (Instant::now(), pipeline.totals().transactions, latencies.since(last.2));
        let rate = (served - last.1) as f64 / (now - last.0).as_secs_f64();
        line.set_message(format!(
            "{} million transfers a second; half of them within {:.2} ms, 99 of 100 within {:.2} ms",
            millions(rate),
            recent.p50,
            recent.p99
        ));
        last = (now, served, last.2 + recent.samples);
    }
    line.finish_and_clear();
}
