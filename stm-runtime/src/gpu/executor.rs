//! A device that runs generated CUDA C, as the seam sees it.

use super::array::GpuArray;
use super::device::GpuDevice;
use super::run;
use crate::backend::{ArrayShape, ArrayStore, Backend, Job, Options};
use crate::bounds;
use crate::engine::Engine;
use crate::error::Error;
use crate::memory::NoMemory;
use crate::outcome::RunOutput;

impl Backend for GpuDevice {
    fn describe(&self) -> String {
        GpuDevice::describe(self)
    }

    fn is_gpu(&self) -> bool {
        true
    }

    fn algorithm(&self, engine: Engine) -> String {
        engine.to_string()
    }

    fn allocate(&self, shape: ArrayShape, words: Vec<u64>) -> Result<Box<dyn ArrayStore>, NoMemory> {
        Ok(Box::new(GpuArray::new(self, shape, words)))
    }

    fn check(&self, options: &Options) -> Result<(), Error> {
        // However many threads are asked for, no more run than the device holds.
        bounds::check(options, u64::MAX)
    }

    fn compile(&self, job: &Job<'_>) -> Result<(), Error> {
        run::compile(self, job)
    }

    fn run(&self, job: &Job<'_>) -> Result<RunOutput, Error> {
        run::run(self, job)
    }
}
