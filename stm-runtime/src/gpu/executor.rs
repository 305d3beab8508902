//! The `Backend` of devices that run generated CUDA C.

#[cfg(feature = "cudarc")]
use std::{any::Any, sync::Arc};

use kernels_gen::device::unit::ColumnWidth;

use super::ahead::GoneAhead;
use super::device::GpuDevice;
use super::planned;
use super::spread::Spread;
use super::trial::{self, Tried};
use crate::backend::{Ahead, ArrayShape, ArrayStore, Backend, Foreign, Granularity, Job, JobOptions, Order};
use crate::bounds;
use crate::columns::Column;
use crate::device_cells::Place;
use crate::engine::Engine;
use crate::error::Error;
use crate::gpu::memory::array::GpuArray;
use crate::gpu::memory::stayed::StayedResults;
use crate::gpu::memory::{arrays, device_columns};
use crate::gpu::schedule::remembered;
use crate::gpu::schedule::run::{self, Run};
use crate::gpu::schedule::run_state::RunState;
use crate::memory::NoMemory;
use crate::outcome::{Algorithm, RunOutput};
use crate::tuning::Found;

impl Backend for GpuDevice {
    fn describe(&self) -> String {
        GpuDevice::describe(self)
    }

    fn is_gpu(&self) -> bool {
        true
    }

    #[cfg(feature = "cudarc")]
    fn driver(&self) -> Option<Arc<dyn Any + Send + Sync>> {
        Some(self.backend())
    }

    fn algorithm(&self, engine: Engine) -> Algorithm {
        Algorithm::Gpu(engine)
    }

    fn allocate(&self, shapes: &[ArrayShape], granularity: Granularity) -> Result<Vec<Box<dyn ArrayStore>>, NoMemory> {
        let boxed = |array| -> Box<dyn ArrayStore> { Box::new(array) };
        Ok(GpuArray::of_components(self, shapes, granularity).into_iter().map(boxed).collect())
    }

    fn keep(&self, column: &Column<'_>) -> Result<Place, Error> {
        device_columns::copied(&self.backend(), column)
    }

    fn keep_foreign(&self, foreign: &mut Foreign, width: ColumnWidth) -> Result<Place, Error> {
        device_columns::adopted(&self.backend(), foreign, width)
    }

    fn check(&self, options: &JobOptions) -> Result<(), Error> {
        // Any number of threads is accepted, but no more run than the device holds.
        bounds::check(options, u64::MAX)
    }

    fn compile(&self, job: &Job<'_>) -> Result<(), Error> {
        run::compile(&for_job(self, job), job)
    }

    fn under_way(&self) -> usize {
        UNDER_WAY
    }

    fn go_ahead(&self, job: &Job<'_>) -> Ahead {
        Some(Box::new(GoneAhead::of(&for_job(self, job), job)))
    }

    fn forget(&self, batch: u64) {
        self.backend().forget(batch);
    }

    fn run(&self, job: &Job<'_>, ahead: Ahead) -> Result<RunOutput, Error> {
        let ahead = ahead.and_then(|ahead| ahead.downcast().ok());
        let device = for_job(self, job);
        let mut output = work_off(&device, job, ahead.map(|ahead| *ahead).unwrap_or_default())?;
        // Not where the host ran all of it.
        if let Algorithm::Gpu(_) = output.engine {
            output.notes.extend(Spread::of(&*self.backend(), job).note(job).map(str::to_owned));
        }
        Ok(output)
    }
}

/// One batch is copied to the device, one runs, and the outcomes of one come back.
const UNDER_WAY: usize = 3;

/// Returns the device that runs a job: a cluster, or the first one of it.
fn for_job(device: &GpuDevice, job: &Job<'_>) -> GpuDevice {
    let first = Some(Spread::of(&*device.backend(), job)).filter(|spread| *spread == Spread::First);
    let first = first.and_then(|_| device.backend().alone());
    first.map_or_else(|| device.clone(), |(first, _)| GpuDevice::of(first))
}

/// Runs a batch. The caller holds the arrays.
fn work_off(device: &GpuDevice, job: &Job<'_>, ahead: GoneAhead) -> Result<RunOutput, Error> {
    let mut run_state = RunState::new(job)?;
    (run_state.ahead, run_state.demand) = (ahead.chunk, ahead.demand);
    run_state.stayed = StayedResults::of(&device.backend(), job)?;
    match work(device, &mut run_state) {
        Ok(()) => {
            let output = &mut run_state.output;
            if output.counted.is_none() && (job.options.proves || !output.status.are_committed()) {
                output.status.settle();
            }
            output.stayed = run_state.stayed.map(StayedResults::into_cells);
            Ok(run_state.output)
        }
        Err(error) => {
            arrays::distrust(job);
            Err(error)
        }
    }
}

/// Chooses how the batch runs, if necessary by a trial on its first transactions, and runs the rest.
fn work(device: &GpuDevice, run_state: &mut RunState<'_>) -> Result<(), Error> {
    let options = run_state.job.options;
    if options.order == Order::Pushed || options.selection.methods().is_some() {
        match options.order {
            Order::Pushed => planned::in_push_order(device, run_state)?,
            Order::Any => planned::work(device, run_state)?,
        }
        let faster = run_state.output.found.faster;
        run_state.output.found = Found { faster, ..remembered::found(run_state.job) };
        return Ok(());
    }
    let Tried { tuning, plan, transactions, ended } = trial::settle(device, run_state)?;
    run_state.output.tuning = tuning;
    run_state.output.engine = Algorithm::Gpu(plan.engine);
    if let Some(why) = ended {
        run_state.output.unresolved_reason = why;
        return Ok(());
    }
    let wanted = run_state.job.transactions;
    let mut run = Run::prepare(device, run_state, plan, wanted)?;
    run.describe();
    run.work(transactions)?;
    run.collect_profile()?;
    Ok(run.collect_hottest()?)
}
