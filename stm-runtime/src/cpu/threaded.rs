//! A run on CPU threads: what they work on, and the sum of what they bring back.

use std::time::Instant;

use crate::alarm::Alarm;
use crate::cpu::CpuArray;
use crate::cpu::attempt::{Attempt, Clock};
use crate::cpu::crew::Crew;
use crate::cpu::scout::LookAhead;
use crate::cpu::team::Team;
use crate::cpu::transactions::Outcomes;
use crate::cpu::turns::Turns;
use crate::cpu::worker::{Shift, Tally, Worker};
use crate::error::Error;
use crate::job::{Job, RunOutput};
use crate::memory;
use crate::proof::History;
use crate::report::{Algorithm, LaunchShape, Memory, Times};
use crate::transaction::Resolved;

/// Runs a batch on that many threads; with a seed, one at a time.
pub(super) fn run(clock: &Clock, threads: usize, seed: Option<u64>, job: &Job<'_>) -> Result<RunOutput, Error> {
    let arrays: Vec<&CpuArray> = job.arrays.iter().filter_map(|array| array.cpu()).collect();
    if mutant!("cpu: a recorded run begins at old versions", job.options.check, false) {
        arrays.iter().for_each(|array| array.reset_versions());
    }
    let specializations = Resolved::all(job);
    let outcomes = Outcomes::new(job.transactions, job.results)?;
    let start = Instant::now();
    // A thread for each transaction is enough.
    let threads = threads.min(job.transactions);
    let alarm = Alarm::new(job.options, start);
    let crew = Crew::new(job, threads, &alarm);
    let shift = Shift { job, specializations: &specializations, outcomes: &outcomes, crew: &crew };
    let turns = seed.map(|seed| Turns::new(threads, seed));
    let member = |thread| {
        let mut attempt = Attempt::new(arrays.clone(), clock, thread as u64);
        attempt.turn = turns.as_ref().map(|turns| Box::new(turns.of(thread)));
        let worker = Worker::new(&shift, thread, attempt, LookAhead::new(job, &arrays));
        move || worker.run()
    };
    let missing = |thread| turns.iter().for_each(|turns| drop(turns.of(thread)));
    let team = Team { job, alarm: &alarm, start, finished: &|| crew.finished() };
    let tallies = team.work(threads, member, missing)?;
    if let Some(error) = alarm.failure() {
        return Err(error);
    }
    let mut output = RunOutput {
        engine: Algorithm::CpuThreads { asked: job.options.selection.usual() },
        shape: LaunchShape::Cpu { threads: tallies.len(), seed },
        times: Times { kernel: start.elapsed(), ..Times::default() },
        memory: memory(job, &arrays),
        ..RunOutput::default()
    };
    collect(tallies, outcomes, &mut output)?;
    Ok(output)
}

fn collect(tallies: Vec<Tally>, outcomes: Outcomes, output: &mut RunOutput) -> Result<(), Error> {
    let mut details = Vec::new();
    let mut history: Option<History> = None;
    for tally in tallies {
        mutant!("cpu: conflicts are not added up", output.conflicts.add(&tally.conflicts), ());
        output.postponements += tally.postponements;
        let passes = output.passes;
        output.passes = mutant!("cpu: passes of threads add up", passes.max(tally.passes), passes + tally.passes);
        output.unresolved_reason =
            mutant!("cpu: the last thread says why", output.unresolved_reason.stronger(tally.why), tally.why);
        memory::grow_by("outcomes", &mut details, tally.details.len())?;
        details.extend_from_slice(&tally.details);
        match (&mut history, tally.history) {
            (Some(history), Some(part)) => history.append(&part)?,
            (None, part) => history = part,
            _ => {}
        }
        add_locations(&mut output.locations, tally.locations);
    }
    output.history = history;
    outcomes.into_output(&details, output)?;
    Ok(())
}

fn add_locations(sums: &mut Vec<Vec<u64>>, locations: Vec<Vec<u64>>) {
    if sums.is_empty() {
        *sums = locations;
        return;
    }
    for (sum, count) in sums.iter_mut().flatten().zip(locations.iter().flatten()) {
        *sum += count;
    }
}

/// Host memory that the run uses.
pub(super) fn memory(job: &Job<'_>, arrays: &[&CpuArray]) -> Memory {
    let transactions = job.transactions as u64;
    let bytes = arrays.iter().map(|array| array.bytes());
    Memory {
        arguments: job.columns.iter().map(|column| column.bytes(job.transactions)).sum(),
        results: 8 * job.results as u64 * transactions,
        data: bytes.clone().map(|(data, _)| data).sum(),
        locks: bytes.map(|(_, locks)| locks).sum(),
        bookkeeping: transactions + job.specialization_ids.map_or(0, |_| 2 * transactions),
    }
}
