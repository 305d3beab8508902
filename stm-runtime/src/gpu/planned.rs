//! A batch for which the user chose no engine: place after place, as the plan says.

use std::time::Duration;

use super::device::GpuDevice;
use super::host;
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
use crate::outcome::{Algorithm, FallbackTimes, PlanStep, UnresolvedReason};

/// Runs a batch.
pub(super) fn work(device: &GpuDevice, run_state: &mut RunState<'_>) -> Result<(), Error> {
    let fallback = small::chosen(run_state.job);
    let left_at = fallback.map(|times| on_host(run_state, times)).transpose()?.flatten();
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
        on_device(device, run_state, step, 0)?;
        first = run_state.job.transactions;
        if has_ended(run_state) || run_state.finished == first as u64 {
            return Ok(());
        }
    }
    while let Some(step) = steps.next() {
        let before = (run_state.finished, run_state.output.times.kernel);
        let measured = match step.place {
            Place::Host => host::work(run_state, 0, (step.floor, host::PROBE))?,
            Place::Device(_) => on_device(device, run_state, step, first)?,
        };
        note_step(run_state, before, step.rate, measured.is_some());
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
        return on_host(run_state, times).map(|_| ());
    }
    let (mut visited, mut are_stuck, transactions) = (0, false, run_state.job.transactions);
    let engines = choice::in_push_order(run_state.job, device.backend().limits(), || run_state.demand());
    for Turns { engine, rate, floor } in engines {
        let before = (run_state.finished, run_state.output.times.kernel);
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
        note_step(run_state, before, rate, visited < transactions);
        if visited == transactions || has_ended(run_state) {
            break;
        }
        remembered::leave(run_state.job, Place::Device(engine), 0.0);
    }
    let none_can = are_stuck || visited == transactions && run_state.committed == 0;
    if has_ended(run_state) || none_can || run_state.finished == transactions as u64 {
        return Ok(());
    }
    let before = (run_state.finished, run_state.output.times.kernel);
    let passes = std::mem::take(&mut run_state.output.passes);
    host::work(run_state, visited, (0.0, 0))?;
    run_state.output.passes = run_state.output.passes.max(passes);
    note_step(run_state, before, 0.0, false);
    Ok(())
}

/// Runs a small batch on the host. Returns the measured rate if that shows that the rest belongs on the device.
fn on_host(run_state: &mut RunState<'_>, times: FallbackTimes) -> Result<Option<f64>, Error> {
    let (job, before) = (run_state.job, (run_state.finished, run_state.output.times.kernel));
    let measured = host::work(run_state, 0, (small::floor(job, times), small::PROBE))?;
    note_step(run_state, before, job.transactions as f64 / times.on_host.as_secs_f64(), measured.is_some());
    run_state.output.plan.iter_mut().for_each(|step| step.fallback = Some(times));
    Ok(measured)
}

/// Returns whether a limit was reached.
fn has_ended(run_state: &RunState<'_>) -> bool {
    run_state.output.unresolved_reason != UnresolvedReason::GuardNeverHeld
}

/// Notes a step for the report. Before it, that many transactions were finished, after that time.
fn note_step(run_state: &mut RunState<'_>, (finished, kernel): (u64, Duration), predicted: f64, was_left: bool) {
    let output = &mut run_state.output;
    note!(finished = run_state.finished - finished, predicted, was_left, "a step of the plan: {}", output.engine);
    output.plan.push(PlanStep {
        algorithm: output.engine,
        finished: run_state.finished - finished,
        time: output.times.kernel - kernel,
        predicted,
        was_left,
        fallback: None,
    });
}

/// Runs what is left of a batch, from transaction `first` on. Returns the measured rate if the place was left.
fn on_device(device: &GpuDevice, run_state: &mut RunState<'_>, step: Step, first: usize) -> Result<Option<f64>, Error> {
    let Place::Device(engine) = step.place else { return Ok(None) };
    let job = run_state.job;
    run_state.output.engine = Algorithm::Gpu(engine);
    let mut run = Run::prepare(device, run_state, Plan::of(engine, job.options), job.transactions)?;
    run.exit = Exit { floor: step.floor, worth: step.worth, after_visits: step.only_visits, left_at: None };
    run.describe();
    run.work(first)?;
    run.collect_profile()?;
    run.collect_hottest()?;
    Ok(run.exit.left_at)
}
