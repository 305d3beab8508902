//! A batch for which the user chose no engine: place after place, as the plan says.

use std::time::Duration;

use super::device::GpuDevice;
use super::host;
use crate::engine::Engine;
use crate::error::Error;
use crate::gpu::schedule::choice::{self, Turns};
use crate::gpu::schedule::place::Place;
use crate::gpu::schedule::plan::Plan;
use crate::gpu::schedule::remembered;
use crate::gpu::schedule::run::Run;
use crate::gpu::schedule::run_state::RunState;
use crate::gpu::schedule::small;
use crate::gpu::schedule::stages::Exit;
use crate::gpu::schedule::steps::{Step, Steps};
use crate::outcome::{Algorithm, FallbackTimes, PlanReason, PlanStep, UnresolvedReason};
use crate::tuning;

/// Runs a batch.
pub(super) fn work(device: &GpuDevice, run_state: &mut RunState<'_>) -> Result<(), Error> {
    let fallback = small::chosen(run_state.job);
    let left_at = fallback.map(|times| run_small(run_state, times)).transpose()?.flatten();
    if fallback.is_some() && left_at.is_none() {
        return Ok(());
    }
    let mut steps = Steps::of(run_state.job, device.backend().limits(), run_state.demand());
    let mut first = 0;
    if let Some(measured) = left_at {
        steps.learn(Place::Host, measured);
        remembered::leave(run_state.job, Place::Host, measured);
        first = run_state.job.transactions;
    } else if let Some(step) = steps.visits_first() {
        let left_at = on_device(device, run_state, step, 0)?;
        first = run_state.job.transactions;
        let is_over = |run_state: &RunState<'_>| has_ended(run_state) || run_state.finished == first as u64;
        if left_at.is_none() || is_over(run_state) {
            return Ok(());
        }
        let are_stuck = steps.rest.map(|turns| rest_in_turns(device, run_state, turns)).transpose()?;
        if are_stuck == Some(true) || is_over(run_state) {
            return Ok(());
        }
    }
    while let Some(step) = steps.next() {
        let measured = match step.place {
            Place::Host => on_host(run_state, step)?,
            Place::Device(_) => on_device(device, run_state, step, first)?,
        };
        let Some(measured) = measured else { return Ok(()) };
        steps.learn(step.place, measured);
        remembered::leave(run_state.job, step.place, measured);
        // What is left of the batch has been executed once, or counts as that.
        first = run_state.job.transactions;
    }
    Ok(())
}

/// Runs a batch in push order: on the device the first turns of all transactions, if it can, and the rest on the host.
pub(super) fn in_push_order(device: &GpuDevice, run_state: &mut RunState<'_>) -> Result<(), Error> {
    if let Some(times) = small::chosen(run_state.job) {
        return run_small(run_state, times).map(|_| ());
    }
    let (mut visited, mut are_stuck, transactions) = (0, false, run_state.job.transactions);
    let engines = choice::in_push_order(run_state.job, device.backend().limits(), || run_state.demand());
    for Turns { engine, rate, floor } in engines {
        let begun = Begun::of(run_state);
        run_state.output.engine = Algorithm::Gpu(engine);
        let plan = Plan::of(engine, run_state.job.options);
        let mut run = Run::prepare(device, run_state, plan, transactions - visited)?;
        run.describe();
        run.exit.floor = floor;
        visited = run.take_turns(visited)?;
        // Where the first round has committed nothing, the guards are still false.
        if visited == transactions && run.run_state.committed > 0 {
            are_stuck = run.take_more_turns()?;
        }
        let step = PlanStep::new(engine, run_state.output.engine, PlanReason::KeepsOrder);
        let was_left = visited < transactions;
        note_step(run_state, begun, PlanStep { predicted: rate, was_left, ..step });
        if visited == transactions || has_ended(run_state) {
            break;
        }
        remembered::leave(run_state.job, Place::Device(engine), 0.0);
    }
    let none_can = are_stuck || visited == transactions && run_state.committed == 0;
    if has_ended(run_state) || none_can || run_state.finished == transactions as u64 {
        return Ok(());
    }
    let begun = Begun::of(run_state);
    let passes = std::mem::take(&mut run_state.output.passes);
    host::work(run_state, visited, (0.0, 0))?;
    run_state.output.passes = run_state.output.passes.max(passes);
    let is_first = run_state.output.plan.is_empty();
    note_host(run_state, begun, if is_first { PlanReason::NothingElse } else { PlanReason::LeftOver }, 0.0, false);
    Ok(())
}

/// Gives what is left of a batch of any order its turns, round by round. Returns true after a round that committed nothing.
fn rest_in_turns(device: &GpuDevice, run_state: &mut RunState<'_>, turns: Turns) -> Result<bool, Error> {
    let begun = Begun::of(run_state);
    run_state.output.engine = Algorithm::Gpu(turns.engine);
    let left = run_state.job.transactions - run_state.finished as usize;
    let mut run = Run::prepare(device, run_state, Plan::of(turns.engine, run_state.job.options), left)?;
    run.describe();
    let are_stuck = run.take_more_turns()?;
    let step = PlanStep::new(turns.engine, run_state.output.engine, PlanReason::LeftOver);
    note_step(run_state, begun, PlanStep { predicted: turns.rate, ..step });
    Ok(are_stuck)
}

/// Runs a small batch on the host. Returns the measured rate if that shows that the rest belongs on the device.
fn run_small(run_state: &mut RunState<'_>, times: FallbackTimes) -> Result<Option<f64>, Error> {
    let (job, begun) = (run_state.job, Begun::of(run_state));
    let measured = host::work(run_state, 0, (small::floor(job, times), small::PROBE))?;
    let predicted = job.transactions as f64 / times.on_host.as_secs_f64();
    note_host(run_state, begun, PlanReason::SmallBatch, predicted, measured.is_some());
    run_state.output.plan.iter_mut().for_each(|step| step.fallback = Some(times));
    Ok(measured)
}

/// Runs what is left of a batch on the host. Returns the measured rate if it was left.
fn on_host(run_state: &mut RunState<'_>, step: Step) -> Result<Option<f64>, Error> {
    let begun = Begun::of(run_state);
    let measured = host::work(run_state, 0, (step.floor, host::PROBE))?;
    note_host(run_state, begun, step.reason, step.rate, measured.is_some());
    Ok(measured)
}

/// Runs what is left of a batch, from transaction `first` on. Returns the measured rate if the place was left.
fn on_device(device: &GpuDevice, run_state: &mut RunState<'_>, step: Step, first: usize) -> Result<Option<f64>, Error> {
    let Place::Device(engine) = step.place else { return Ok(None) };
    let (job, begun) = (run_state.job, Begun::of(run_state));
    run_state.output.engine = Algorithm::Gpu(engine);
    let mut run = Run::prepare(device, run_state, Plan::of(engine, job.options), job.transactions)?;
    let Step { floor, worth, only_visits, tries_rest, .. } = step;
    run.exit = Exit { floor, worth, after_visits: only_visits, tries_rest, left_at: None };
    run.describe();
    run.work(first)?;
    run.collect_profile()?;
    run.collect_hottest()?;
    let left_at = run.exit.left_at;
    note_device(run_state, begun, step, left_at.is_some());
    Ok(left_at)
}

/// Returns whether a limit was reached.
fn has_ended(run_state: &RunState<'_>) -> bool {
    run_state.output.unresolved_reason != UnresolvedReason::GuardNeverHeld
}

/// The state of a run at the beginning of a step: its finished transactions, and the time of kernels, also of stages before executions.
#[derive(Clone, Copy)]
struct Begun {
    finished: u64,
    kernel: Duration,
    in_stages: (u64, Duration),
}

impl Begun {
    fn of(run_state: &RunState<'_>) -> Begun {
        let RunState { finished, in_stages, output, .. } = run_state;
        Begun { finished: *finished, kernel: output.times.kernel, in_stages: *in_stages }
    }
}

/// Notes for the report what ran on the device: the stages before the execution, and the execution of what they have left, as a step each.
fn note_device(run_state: &mut RunState<'_>, begun: Begun, step: Step, was_left: bool) {
    let Place::Device(engine) = step.place else { return };
    let (finished, took) = (run_state.in_stages.0 - begun.in_stages.0, run_state.in_stages.1 - begun.in_stages.1);
    let algorithm = run_state.output.engine;
    let whole = PlanStep { predicted: step.rate, was_left, ..PlanStep::new(engine, algorithm, step.reason) };
    if !engine.spec().finishes_in_visits() || took.is_zero() {
        return note_step(run_state, begun, whole);
    }
    let given = run_state.job.transactions as u64 - begun.finished;
    run_state.output.plan.push(PlanStep { given, finished, time: took, was_left: false, ..whole });
    let was_executed = step.tries_rest || step.only_visits.is_none_or(|_| !was_left);
    if was_executed && finished < given {
        let begun = Begun { finished: begun.finished + finished, kernel: begun.kernel + took, ..begun };
        let rest = PlanStep::new(Engine::default(), Algorithm::Gpu(Engine::default()), PlanReason::LeftOver);
        note_step(run_state, begun, PlanStep { was_left, ..rest });
    }
}

/// Notes for the report what ran on the host.
fn note_host(run_state: &mut RunState<'_>, begun: Begun, reason: PlanReason, predicted: f64, was_left: bool) {
    let step = PlanStep::new(tuning::on_host(), run_state.output.engine, reason);
    note_step(run_state, begun, PlanStep { predicted, was_left, ..step });
}

/// Notes a step for the report, with what was finished since its beginning.
fn note_step(run_state: &mut RunState<'_>, begun: Begun, step: PlanStep) {
    let given = run_state.job.transactions as u64 - begun.finished;
    let finished = run_state.finished - begun.finished;
    let time = run_state.output.times.kernel.saturating_sub(begun.kernel);
    note!(finished, predicted = step.predicted, was_left = step.was_left, "a step of the plan: {}", step.method);
    run_state.output.plan.push(PlanStep { given, finished, time, ..step });
}
