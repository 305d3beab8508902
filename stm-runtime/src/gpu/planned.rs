//! A batch for which the user chose no engine: place after place, as the plan says.

use super::device::GpuDevice;
use super::host::Host;
use crate::error::Error;
use crate::gpu::schedule::plan::Plan;
use crate::gpu::schedule::run::Run;
use crate::gpu::schedule::run_state::RunState;
use crate::gpu::schedule::steps::{Place, Step, Steps};
use crate::outcome::{Algorithm, PlanStep};

/// Runs a batch.
pub(super) fn work(device: &GpuDevice, run_state: &mut RunState<'_>) -> Result<(), Error> {
    let mut steps = Steps::of(run_state.job, device.backend().limits());
    let mut first = 0;
    if let Some(engine) = steps.visits_first() {
        let step = Step { place: Place::Device(engine), rate: 0.0, floor: f64::INFINITY };
        on_device(device, run_state, step, 0)?;
        first = run_state.job.transactions;
    }
    while let Some(step) = steps.next() {
        let (finished, kernel) = (run_state.finished, run_state.output.times.kernel);
        let measured = match step.place {
            Place::Host => Host::new(run_state.job)?.work(run_state, step.floor)?,
            Place::Device(_) => on_device(device, run_state, step, first)?,
        };
        run_state.output.plan.push(PlanStep {
            algorithm: run_state.output.engine,
            finished: run_state.finished - finished,
            time: run_state.output.times.kernel - kernel,
            predicted: step.rate,
            was_left: measured.is_some(),
        });
        let Some(measured) = measured else { return Ok(()) };
        steps.learn(step.place, measured);
        // What is left of the batch has been executed once, or counts as that.
        first = run_state.job.transactions;
    }
    Ok(())
}

/// Runs a batch in push order, on the cores of the host.
pub(super) fn in_push_order(run_state: &mut RunState<'_>) -> Result<(), Error> {
    Host::new(run_state.job)?.work(run_state, 0.0).map(|_| ())
}

/// Runs what is left of a batch, from transaction `first` on. Returns the measured rate if the place was left.
fn on_device(device: &GpuDevice, run_state: &mut RunState<'_>, step: Step, first: usize) -> Result<Option<f64>, Error> {
    let Place::Device(engine) = step.place else { return Ok(None) };
    let job = run_state.job;
    run_state.output.engine = Algorithm::Gpu(engine);
    let mut run = Run::prepare(device, run_state, Plan::of(engine, job.options), job.transactions)?;
    run.exit.floor = step.floor;
    run.describe();
    run.work(first)?;
    run.collect_locations()?;
    run.collect_hottest()?;
    Ok(run.exit.left_at)
}
