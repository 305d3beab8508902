//! The interface of a device.

use std::any::Any;
#[cfg(feature = "cudarc")]
use std::sync::Arc;

use kernels_gen::device::unit::ColumnWidth;

use super::array::{ArrayShape, ArrayStore, Foreign, Granularity};
use super::job::{Job, JobOptions};
use crate::columns::Column;
use crate::device_cells::Place;
use crate::engine::Engine;
use crate::error::{Error, ForeignProblem};
use crate::memory::NoMemory;
use crate::outcome::{Algorithm, RunOutput};

/// What a device has done of a run before the run has its arrays; `None` for nothing.
pub(crate) type Ahead = Option<Box<dyn Any + Send>>;

/// A device that keeps arrays and runs batches. An array store reads and writes its own elements.
pub(crate) trait Backend: Send + Sync {
    /// Returns its description for messages.
    fn describe(&self) -> String;

    /// Returns whether it runs generated CUDA C instead of host functions.
    fn is_gpu(&self) -> bool;

    /// Returns the driver of a GPU.
    #[cfg(feature = "cudarc")]
    fn driver(&self) -> Option<Arc<dyn Any + Send + Sync>> {
        None
    }

    /// Returns the algorithm that runs for an engine.
    fn algorithm(&self, engine: Engine) -> Algorithm;

    /// Allocates the arrays of a record's components, with zeros.
    fn allocate(&self, shapes: &[ArrayShape], granularity: Granularity) -> Result<Vec<Box<dyn ArrayStore>>, NoMemory>;

    /// Copies the cells of a column to the memory of the device.
    fn keep(&self, column: &Column<'_>) -> Result<Place, Error> {
        Ok(Place::Host(column.packed()?))
    }

    /// Takes cells of that width in device memory of another owner. After an error, the caller still has the owner.
    fn keep_foreign(&self, foreign: &mut Foreign, _width: ColumnWidth) -> Result<Place, Error> {
        Err(Error::ForeignMemory { problem: ForeignProblem::NoGpu, at: foreign.at })
    }

    /// Refuses options that have no meaning on the device.
    fn check(&self, options: &JobOptions) -> Result<(), Error>;

    /// Compiles the kernels of a run.
    fn compile(&self, job: &Job<'_>) -> Result<(), Error>;

    /// Returns how many batches of a pipeline are worth to be under way at once: those that are copied to the device or from it beside
    /// the one that runs.
    fn under_way(&self) -> usize {
        1
    }

    /// Does what a run needs no array for, while other runs have the arrays.
    fn go_ahead(&self, _job: &Job<'_>) -> Ahead {
        None
    }

    /// Learns that a batch has ended, or has lost its transactions: nothing asks for its columns any more.
    fn forget(&self, _batch: u64) {}

    /// Runs a batch, whose arrays the caller holds.
    fn run(&self, job: &Job<'_>, ahead: Ahead) -> Result<RunOutput, Error>;
}
