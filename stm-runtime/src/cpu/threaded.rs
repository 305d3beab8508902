//! A run on CPU threads: starts them, waits for them, and adds up what they bring back.

use std::panic;
use std::thread;
use std::time::{Duration, Instant};

use crate::cpu::attempt::{Attempt, Clock};
use crate::cpu::crew::Crew;
use crate::cpu::rows::Outcomes;
use crate::cpu::turns::Turns;
use crate::cpu::worker::{Shift, Tally, Worker};
use crate::cpu::{CpuRegion, Scout, THREADED, engine_name};
use crate::error::Error;
use crate::job::{Job, RunOutput};
use crate::progress::Progress;
use crate::proof::History;
use crate::report::{Memory, Times};
use crate::row::Resolved;

/// How often the progress function is called.
const PROGRESS_EVERY: Duration = Duration::from_millis(100);

/// Runs a table on that many threads; with a seed, one at a time.
pub(super) fn run(clock: &Clock, threads: usize, seed: Option<u64>, job: &Job<'_>) -> Result<RunOutput, Error> {
    let regions: Vec<&CpuRegion> = job.regions.iter().filter_map(|region| region.cpu()).collect();
    if mutant!("cpu: a recorded run begins at old versions", job.options.check, false) {
        regions.iter().for_each(|region| region.reset_versions());
    }
    let bindings = Resolved::all(job);
    let outcomes = Outcomes::new(job.rows, job.results);
    let start = Instant::now();
    let threads = threads.clamp(1, job.rows.max(1));
    let crew = Crew::new(job, threads, start);
    let shift = Shift { job, bindings: &bindings, outcomes: &outcomes, crew: &crew };
    let turns = seed.map(|seed| Turns::new(threads, seed));
    let tallies = work(&shift, threads, &regions, clock, (start, turns.as_ref()));
    let worked = tallies.len();
    let mut output = RunOutput {
        engine: engine_name(THREADED, job),
        shape: shape(worked, seed),
        times: Times { kernel: start.elapsed(), ..Times::default() },
        memory: memory(job, &regions),
        ..RunOutput::default()
    };
    collect(tallies, outcomes, job, &mut output);
    Ok(output)
}

fn work<'a>(
    shift: &'a Shift<'a>,
    threads: usize,
    regions: &[&'a CpuRegion],
    clock: &'a Clock,
    (start, turns): (Instant, Option<&'a Turns>),
) -> Vec<Tally> {
    let worker = |thread| {
        let mut attempt = Attempt::new(regions.to_vec(), clock, thread as u64);
        attempt.turn = turns.map(|turns| Box::new(turns.of(thread)));
        Worker::new(shift, thread, attempt, Scout::over(regions))
    };
    // The calling thread works too, unless it has a progress function to call.
    let watches = shift.job.options.progress.is_some();
    thread::scope(|scope| {
        let mut handles = Vec::new();
        for number in usize::from(!watches)..threads {
            let worker = worker(number);
            match thread::Builder::new().spawn_scoped(scope, move || worker.run()) {
                Ok(handle) => handles.push(handle),
                // The system gives no more threads: fewer do the same work, and nobody waits for the others.
                Err(_) => {
                    turns.into_iter().for_each(|turns| (number + 1..threads).for_each(|number| drop(turns.of(number))));
                    break;
                }
            }
        }
        let mut tallies = Vec::with_capacity(threads);
        if !watches || handles.is_empty() {
            tallies.push(worker(0).run());
        }
        report_progress(shift, start, || handles.iter().all(thread::ScopedJoinHandle::is_finished));
        for handle in handles {
            // A panic of the user's function goes on in the thread that runs the table.
            tallies.push(handle.join().unwrap_or_else(|panic| panic::resume_unwind(panic)));
        }
        tallies
    })
}

fn shape(threads: usize, seed: Option<u64>) -> String {
    let text = format!("{threads} {}", if threads == 1 { "thread" } else { "threads" });
    seed.map_or(text.clone(), |seed| format!("{text}, one at a time by seed {seed}"))
}

fn report_progress(shift: &Shift<'_>, start: Instant, all_finished: impl Fn() -> bool) {
    let Some(progress) = &shift.job.options.progress else { return };
    let tell = || {
        progress(Progress {
            finished: shift.crew.finished(),
            transactions: shift.job.rows as u64,
            elapsed: start.elapsed(),
        });
    };
    let mut next = Instant::now() + PROGRESS_EVERY;
    while !all_finished() {
        // Short sleeps, so that a short run does not wait for its progress function.
        thread::sleep(Duration::from_millis(1));
        if Instant::now() >= next {
            tell();
            next += PROGRESS_EVERY;
        }
    }
    tell();
}

fn collect(tallies: Vec<Tally>, outcomes: Outcomes, job: &Job<'_>, output: &mut RunOutput) {
    let mut details = Vec::new();
    let mut history = job.options.check.then(|| History::new(false));
    for tally in tallies {
        mutant!("cpu: conflicts are not added up", output.conflicts.add(&tally.conflicts), ());
        output.postponements += tally.postponements;
        let passes = output.passes;
        output.passes = mutant!("cpu: passes of threads add up", passes.max(tally.passes), passes + tally.passes);
        output.why_left = mutant!("cpu: the last thread says why", output.why_left.stronger(tally.why), tally.why);
        details.extend_from_slice(&tally.details);
        if let (Some(history), Some(part)) = (&mut history, &tally.history) {
            history.append(part);
        }
        add_sites(&mut output.sites, tally.sites);
    }
    output.history = history;
    outcomes.into_output(&details, output);
}

fn add_sites(sums: &mut Vec<Vec<u64>>, sites: Vec<Vec<u64>>) {
    if sums.is_empty() {
        *sums = sites;
        return;
    }
    for (sum, count) in sums.iter_mut().flatten().zip(sites.iter().flatten()) {
        *sum += count;
    }
}

/// Host memory that the run uses.
pub(super) fn memory(job: &Job<'_>, regions: &[&CpuRegion]) -> Memory {
    let rows = job.rows as u64;
    let bytes = regions.iter().map(|region| region.bytes());
    Memory {
        arguments: job.columns.iter().map(|column| column.bytes(job.rows)).sum(),
        results: 8 * job.results as u64 * rows,
        data: bytes.clone().map(|(data, _)| data).sum(),
        locks: bytes.map(|(_, locks)| locks).sum(),
        bookkeeping: rows + job.binding_ids.map_or(0, |_| 2 * rows),
    }
}
