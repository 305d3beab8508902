//! A run on CPU threads: what they work on, and the sum of what they bring back.

use std::time::Instant;

use crate::alarm::Alarm;
use crate::cpu::attempt::{Attempt, Clock};
use crate::cpu::crew::Crew;
use crate::cpu::rows::Outcomes;
use crate::cpu::scout::LookAhead;
use crate::cpu::team::Team;
use crate::cpu::turns::Turns;
use crate::cpu::worker::{Shift, Tally, Worker};
use crate::cpu::{CpuRegion, THREADED, engine_name};
use crate::error::Error;
use crate::job::{Job, RunOutput};
use crate::memory;
use crate::proof::History;
use crate::report::{Memory, Times};
use crate::row::Resolved;

/// Runs a table on that many threads; with a seed, one at a time.
pub(super) fn run(clock: &Clock, threads: usize, seed: Option<u64>, job: &Job<'_>) -> Result<RunOutput, Error> {
    let regions: Vec<&CpuRegion> = job.regions.iter().filter_map(|region| region.cpu()).collect();
    if mutant!("cpu: a recorded run begins at old versions", job.options.check, false) {
        regions.iter().for_each(|region| region.reset_versions());
    }
    let bindings = Resolved::all(job);
    let outcomes = Outcomes::new(job.rows, job.results)?;
    let start = Instant::now();
    // A thread for each row is enough.
    let threads = threads.min(job.rows);
    let alarm = Alarm::new(job.options, start);
    let crew = Crew::new(job, threads, &alarm);
    let shift = Shift { job, bindings: &bindings, outcomes: &outcomes, crew: &crew };
    let turns = seed.map(|seed| Turns::new(threads, seed));
    let member = |thread| {
        let mut attempt = Attempt::new(regions.clone(), clock, thread as u64);
        attempt.turn = turns.as_ref().map(|turns| Box::new(turns.of(thread)));
        let worker = Worker::new(&shift, thread, attempt, LookAhead::new(job, &regions));
        move || worker.run()
    };
    let missing = |thread| turns.iter().for_each(|turns| drop(turns.of(thread)));
    let team = Team { job, alarm: &alarm, start, finished: &|| crew.finished() };
    let tallies = team.work(threads, member, missing)?;
    if let Some(error) = alarm.failure() {
        return Err(error);
    }
    let mut output = RunOutput {
        engine: engine_name(THREADED, job),
        shape: shape(tallies.len(), seed),
        times: Times { kernel: start.elapsed(), ..Times::default() },
        memory: memory(job, &regions),
        ..RunOutput::default()
    };
    collect(tallies, outcomes, &mut output)?;
    Ok(output)
}

fn shape(threads: usize, seed: Option<u64>) -> String {
    let text = format!("{threads} {}", if threads == 1 { "thread" } else { "threads" });
    seed.map_or(text.clone(), |seed| format!("{text}, one at a time by seed {seed}"))
}

fn collect(tallies: Vec<Tally>, outcomes: Outcomes, output: &mut RunOutput) -> Result<(), Error> {
    let mut details = Vec::new();
    let mut history: Option<History> = None;
    for tally in tallies {
        mutant!("cpu: conflicts are not added up", output.conflicts.add(&tally.conflicts), ());
        output.postponements += tally.postponements;
        let passes = output.passes;
        output.passes = mutant!("cpu: passes of threads add up", passes.max(tally.passes), passes + tally.passes);
        output.why_left = mutant!("cpu: the last thread says why", output.why_left.stronger(tally.why), tally.why);
        memory::grow_by("outcomes", &mut details, tally.details.len())?;
        details.extend_from_slice(&tally.details);
        match (&mut history, tally.history) {
            (Some(history), Some(part)) => history.append(&part)?,
            (None, part) => history = part,
            _ => {}
        }
        add_sites(&mut output.sites, tally.sites);
    }
    output.history = history;
    outcomes.into_output(&details, output)?;
    Ok(())
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
