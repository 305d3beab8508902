//! The process that starts others for the sequences: a crash in one of them is a finding and does not end the test.

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, ExitCode, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use stm_runtime::{Device, EmulatorOptions};
use stm_tests::harness::{self, Trial};
use stm_tests::skip::skipped;

use crate::child::{BEGINS, COUNTS};
use crate::options::Options;
use crate::shrink;
use crate::world::Counts;

/// Sequences of one process: enough to amortize its start, few enough to stop soon.
const OF_CHILD: u64 = 60;
/// The number of findings after which no new sequence begins.
const MOST_FINDINGS: usize = 5;

/// The name of the tests that need the emulator.
const EMULATED_CALLS: &str = "calls of the API in the emulator";

/// The results of all sequences so far.
#[derive(Default)]
struct Tally {
    counts: Counts,
    sequences: u64,
    findings: usize,
}

/// Returns the usual sequences as tests: each runs a process, or several if it finds something.
pub(crate) fn tests(options: &Options) -> Vec<Trial> {
    let (mut options, mut tests) = (options.clone(), Vec::new());
    if let Some(why) = no_emulator(&options) {
        options.emulated = 0;
        tests.push(harness::cannot_run("calls_in_the_emulator", EMULATED_CALLS, why));
    }
    for first in (options.first..options.first + options.sequences).step_by(OF_CHILD as usize) {
        let last = (first + OF_CHILD).min(options.first + options.sequences);
        let options = Options { first, sequences: last - first, jobs: 1, ..options.clone() };
        tests.push(Trial::test(format!("sequences_{first}_to_{}", last - 1), move || match sequences(&options) {
            Tally { findings: 0, .. } => Ok(()),
            Tally { findings, .. } => Err(format!("{findings} findings, see above").into()),
        }));
    }
    tests
}

/// Returns the reason why there is no emulator, where the sequences need it.
fn no_emulator(options: &Options) -> Option<String> {
    if options.emulated == 0 {
        return None;
    }
    Device::emulated(EmulatorOptions::threads()).err().map(|why| why.to_string())
}

/// Runs sequences in parallel processes, and prints the findings.
pub(crate) fn run(options: &Options) -> ExitCode {
    let (mut options, begin) = (options.clone(), Instant::now());
    if let Some(why) = no_emulator(&options) {
        options.emulated = 0;
        skipped(EMULATED_CALLS, &why);
    }
    let Tally { counts, sequences, findings } = sequences(&options);
    let Counts { calls, pushes, runs, explained, errors } = counts;
    println!(
        "{sequences} sequences from {} on, seed {}: {calls} calls, {pushes} pushes; {runs} runs, {explained} of them \
         explained by the interpreter, {errors} refused; {findings} findings; {:.0} s",
        options.first,
        options.seed,
        begin.elapsed().as_secs_f64()
    );
    if findings == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn sequences(options: &Options) -> Tally {
    let (begin, next, tally) = (Instant::now(), AtomicU64::new(options.first), Mutex::new(Tally::default()));
    thread::scope(|scope| {
        for _ in 0..options.jobs {
            scope.spawn(|| work(options, begin, &next, &tally));
        }
    });
    tally.into_inner().unwrap_or_else(PoisonError::into_inner)
}

/// Starts one process after the other.
fn work(options: &Options, begin: Instant, next: &AtomicU64, tally: &Mutex<Tally>) {
    let end = options.first.saturating_add(options.sequences);
    loop {
        let is_over = options.time.is_some_and(|time| begin.elapsed() >= time);
        let enough = lock(tally).findings >= MOST_FINDINGS;
        let mut first = next.fetch_add(OF_CHILD, Ordering::Relaxed);
        let last = first.saturating_add(OF_CHILD).min(end);
        if is_over || enough || first >= end {
            return;
        }
        // After a finding, another process runs the remaining sequences.
        while first < last && lock(tally).findings < MOST_FINDINGS {
            let Some((number, text)) = child(options, first..last, tally) else { break };
            let explained = shrink::explain(options, number, &text);
            lock(tally).findings += 1;
            println!("{explained}");
            first = number + 1;
        }
    }
}

fn lock(tally: &Mutex<Tally>) -> std::sync::MutexGuard<'_, Tally> {
    tally.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs some sequences in another process. Returns the sequence with which it failed, and its output.
fn child(options: &Options, numbers: std::ops::Range<u64>, tally: &Mutex<Tally>) -> Option<(u64, String)> {
    let mut command = this_program(options);
    command.args(["--child", "--first", &numbers.start.to_string()]);
    command.args(["--sequences", &(numbers.end - numbers.start).to_string()]);
    let mut child = start(&mut command);
    let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
    let mut at = numbers.start;
    let said = thread::scope(|scope| {
        let said = scope.spawn(|| text(stderr));
        for line in stdout.into_iter().flat_map(|out| BufReader::new(out).lines()).map_while(Result::ok) {
            if let Some(number) = line.strip_prefix(BEGINS) {
                at = number.trim().parse().unwrap_or(at);
            } else if line.starts_with(COUNTS) {
                let mut tally = lock(tally);
                tally.counts.add(&line);
                tally.sequences += 1;
            }
        }
        said.join().unwrap_or_default()
    });
    let status = child.wait().expect("a process that was started can be waited for");
    (!status.success()).then(|| (at, format!("{status}\n{said}")))
}

/// Returns a command that runs this program with the same options.
pub(crate) fn this_program(options: &Options) -> Command {
    let mut command = Command::new(std::env::current_exe().expect("a running program has a path"));
    command.args(options.arguments());
    command
}

fn start(command: &mut Command) -> Child {
    let command = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().expect("this program can be started again")
}

fn text(pipe: Option<impl Read>) -> String {
    let mut bytes = Vec::new();
    if let Some(mut pipe) = pipe {
        let _ = pipe.read_to_end(&mut bytes);
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Returns the output of a command, and whether it succeeded. The command is killed after `limit`.
pub(crate) fn output(command: &mut Command, limit: Duration) -> (bool, String) {
    let mut child = start(command);
    let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
    let begin = Instant::now();
    thread::scope(|scope| {
        let (out, err) = (scope.spawn(|| text(stdout)), scope.spawn(|| text(stderr)));
        let status = loop {
            match child.try_wait() {
                Ok(Some(status)) => break status.success(),
                Ok(None) if begin.elapsed() < limit => thread::sleep(Duration::from_millis(5)),
                _ => {
                    let _ = child.kill();
                    let _ = child.wait();
                    break false;
                }
            }
        };
        (status, out.join().unwrap_or_default() + &err.join().unwrap_or_default())
    })
}
