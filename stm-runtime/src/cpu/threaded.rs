//! A run on CPU threads: starts them and sums up their results.

use std::time::Instant;

use crate::backend::Job;
use crate::cpu::pool::WorkerPool;
use crate::cpu::prefetch::LookAhead;
use crate::cpu::store::views_of;
use crate::cpu::team::Team;
use crate::cpu::usage::memory_used;
use crate::cpu::worker::{CpuRun, Worker, WorkerStatistics};
use crate::error::Error;
use crate::memory;
use crate::outcome::{Algorithm, AtomicOutcomes, History, LaunchShape, RunOutput, Times};
use crate::tx::attempt::Attempt;
use crate::tx::turns::Turns;
use crate::tx::{Alarm, LockNames};

/// Runs a batch on that many threads; with a seed, one at a time.
pub(super) fn run(threads: usize, seed: Option<u64>, job: &Job<'_>) -> Result<RunOutput, Error> {
    let views = views_of(job);
    if mutant!("cpu: a recorded run begins at old versions", job.options.check, false) {
        views.iter().filter(|view| view.is_locked()).for_each(|view| view.table.reset_versions());
    }
    let names = LockNames::new(if job.options.check { &views } else { &[] });
    let specializations = job.resolve();
    let outcomes = AtomicOutcomes::new(job.transactions, job.results)?;
    let start = Instant::now();
    // A thread for each transaction is enough.
    let threads = threads.min(job.transactions);
    let alarm = Alarm::new(job.options.time_limit, job.options.stop.as_ref(), start);
    let pool = WorkerPool::new(job, threads, &alarm);
    let run = CpuRun { job, specializations: &specializations, outcomes: &outcomes, pool: &pool, names: &names };
    let turns = seed.map(|seed| Turns::new(threads, seed));
    let member = |thread| {
        let mut attempt = Attempt::new(views.clone(), thread as u64);
        attempt.turn = turns.as_ref().map(|turns| Box::new(turns.of(thread)));
        let worker = Worker::new(&run, thread, attempt, LookAhead::new(job, &views));
        move || worker.run()
    };
    let missing = |thread| turns.iter().for_each(|turns| drop(turns.of(thread)));
    let team = Team { job, alarm: &alarm, start, finished: &|| pool.finished() };
    let statistics = team.work(threads, member, missing)?;
    if let Some(error) = alarm.failure() {
        return Err(error);
    }
    let mut output = RunOutput {
        engine: Algorithm::CpuThreads { asked: job.options.selection.usual() },
        shape: LaunchShape::Cpu { threads: statistics.len(), seed },
        times: Times { kernel: start.elapsed(), ..Times::default() },
        memory: memory_used(job, &views),
        ..RunOutput::default()
    };
    collect(statistics, outcomes, &mut output)?;
    Ok(output)
}

fn collect(statistics: Vec<WorkerStatistics>, outcomes: AtomicOutcomes, output: &mut RunOutput) -> Result<(), Error> {
    let mut details = Vec::new();
    let mut history: Option<History> = None;
    for statistics in statistics {
        mutant!("cpu: conflicts are not added up", output.conflicts.add(&statistics.conflicts), ());
        output.postponements += statistics.postponements;
        let passes = output.passes;
        output.passes =
            mutant!("cpu: passes of threads add up", passes.max(statistics.passes), passes + statistics.passes);
        output.unresolved_reason =
            mutant!("cpu: the last thread says why", output.unresolved_reason.stronger(statistics.why), statistics.why);
        memory::grow_by("outcomes", &mut details, statistics.details.len())?;
        details.extend_from_slice(&statistics.details);
        match (&mut history, statistics.history) {
            (Some(history), Some(part)) => history.append(&part)?,
            (None, part) => history = part,
            _ => {}
        }
        add_locations(&mut output.locations, statistics.locations);
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
