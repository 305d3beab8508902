//! The interface of a device.

use super::array::{ArrayShape, ArrayStore, Granularity};
use super::job::{Job, JobOptions};
use crate::engine::Engine;
use crate::error::Error;
use crate::memory::NoMemory;
use crate::outcome::{Algorithm, RunOutput};

/// A device that keeps arrays and runs batches. An array store reads and writes its own elements.
pub(crate) trait Backend: Send + Sync {
    /// Returns its description for messages.
    fn describe(&self) -> String;

    /// Returns whether it runs generated CUDA C instead of host functions.
    fn is_gpu(&self) -> bool;

    /// Returns the algorithm that runs for an engine.
    fn algorithm(&self, engine: Engine) -> Algorithm;

    /// Allocates the arrays of a record's components, with zeros.
    fn allocate(&self, shapes: &[ArrayShape], granularity: Granularity) -> Result<Vec<Box<dyn ArrayStore>>, NoMemory>;

    /// Refuses options that have no meaning on the device.
    fn check(&self, options: &JobOptions) -> Result<(), Error>;

    /// Compiles the kernels of a run.
    fn compile(&self, job: &Job<'_>) -> Result<(), Error>;

    /// Runs a batch.
    fn run(&self, job: &Job<'_>) -> Result<RunOutput, Error>;
}
