//! A run on CPU threads, from its first to its last step: one transaction at a time, on threads under locks, or by the plan.

use std::time::Instant;

use crate::backend::Job;
use crate::cpu::at_rest::readers;
use crate::cpu::holders::Holders;
use crate::cpu::pace::Pace;
use crate::cpu::planned::{Done, Leader};
use crate::cpu::pool::WorkerPool;
use crate::cpu::serial::Serial;
use crate::cpu::state::CpuRun;
use crate::cpu::statistics::collect;
use crate::cpu::store::views_of;
use crate::cpu::team::Team;
use crate::cpu::threaded;
use crate::cpu::usage::memory_used;
use crate::error::Error;
use crate::outcome::{Algorithm, AtomicOutcomes, LaunchShape, RunOutput, Times};
use crate::tuning::{Found, Methods};
use crate::tx::{Alarm, LockNames};

/// Who works on a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Method {
    /// One thread, one transaction at a time.
    Serial,
    /// The same, with the outcome of push order.
    InPushOrder,
    /// All threads, under locks; with a seed, one at a time.
    Threads { seed: Option<u64> },
    /// What the plan chooses; with a seed, stages are drawn.
    Planned { methods: Methods, seed: Option<u64> },
}

/// Runs a batch on at most that many threads.
pub(super) fn run(method: Method, threads: usize, job: &Job<'_>) -> Result<RunOutput, Error> {
    let views = views_of(job);
    if mutant!("cpu: a recorded run begins at old versions", job.options.check, false) {
        views.iter().filter(|view| view.is_locked()).for_each(|view| view.table.reset_versions());
    }
    let is_named = job.options.check || job.options.profile;
    let names = LockNames::new(if is_named { &views } else { &[] });
    let holders = job.options.profile.then(Holders::new);
    let specializations = job.resolve()?;
    let outcomes = AtomicOutcomes::new(job.transactions, job.reported())?;
    let start = Instant::now();
    span!("work", threads);
    // A thread for each transaction is enough.
    let is_alone = matches!(method, Method::Serial | Method::InPushOrder);
    let threads = if is_alone { 1 } else { threads.min(job.transactions) };
    let readers = match method {
        Method::Planned { methods, .. } if threads > 1 && methods.has_rest() => readers(job),
        _ => Vec::new(),
    };
    let alarm = Alarm::new(job.options.time_limit, &job.options.stop, start);
    let pool = WorkerPool::new(job.transactions, threads, &alarm);
    let run = CpuRun {
        job,
        views: &views,
        specializations: &specializations,
        outcomes: &outcomes,
        pool: &pool,
        names: &names,
        holders: holders.as_ref(),
        readers: &readers,
    };
    let team = Team { job, alarm: &alarm, start, finished: &|| pool.finished() };
    let (done, seed) = work(method, &run, &team, threads)?;
    if let Some(error) = alarm.failure() {
        return Err(error);
    }
    let mut output = RunOutput {
        engine: done.engine,
        plan: done.plan,
        found: Found { faster: done.faster, ..Found::default() },
        shape: LaunchShape::Cpu { threads: done.threads, seed },
        times: Times { kernel: start.elapsed(), ..Times::default() },
        memory: memory_used(job, &views),
        profile: job.new_profile(),
        ..RunOutput::default()
    };
    collect(done.statistics, outcomes, &mut output)?;
    Ok(output)
}

/// Works on a run. Returns the seed of the order in which its threads took turns, if there is one.
fn work(method: Method, run: &CpuRun<'_>, team: &Team<'_>, threads: usize) -> Result<(Done, Option<u64>), Error> {
    let asked = run.job.options.selection.usual();
    Ok(match method {
        Method::Serial => {
            let statistics = team.work(1, |_| || Serial::new(run).all(), |_| ())?;
            (
                Done { statistics, engine: Algorithm::CpuSerial { asked }, threads: 1, plan: Vec::new(), faster: None },
                None,
            )
        }
        Method::InPushOrder => {
            let statistics = team.work(1, |_| || Serial::new(run).in_push_order(), |_| ())?;
            let engine = Algorithm::CpuPlan { at_rest: 0, in_place: run.pool.finished(), locked: 0 };
            (Done { statistics, engine, threads: 1, plan: Vec::new(), faster: None }, None)
        }
        Method::Threads { seed } => {
            let statistics = threaded::work(run, team, threads, seed)?;
            let threads = statistics.len();
            (
                Done { statistics, engine: Algorithm::CpuThreads { asked }, threads, plan: Vec::new(), faster: None },
                seed,
            )
        }
        Method::Planned { methods, seed } => {
            let faster = run.job.options.selection.saved().and_then(|saved| saved.found.faster);
            let lead = || Leader::new(run, team.crew(), Pace::new(threads, methods, faster, seed)).lead();
            let done = team.work(1, |_| lead, |_| ())?.pop();
            (done.expect("one member gives one result"), None)
        }
    })
}
