//! What a device has to be able to do.

use super::array::{ArrayShape, ArrayStore};
use super::job::{Job, Options};
use crate::engine::Engine;
use crate::error::Error;
use crate::memory::NoMemory;
use crate::outcome::{Algorithm, RunOutput};

/// A device that keeps arrays and runs batches. Reading an array is the store's own affair: [`ArrayStore::words`].
pub(crate) trait Backend: Send + Sync {
    /// Says what it is, for people.
    fn describe(&self) -> String;

    /// Returns true if it runs generated CUDA C, and not the functions of this process.
    fn is_gpu(&self) -> bool;

    /// Returns the algorithm that runs where an engine is asked for.
    fn algorithm(&self, engine: Engine) -> Algorithm;

    /// Keeps the elements of a new array, given as words.
    fn allocate(&self, shape: ArrayShape, words: Vec<u64>) -> Result<Box<dyn ArrayStore>, NoMemory>;

    /// Refuses options that mean nothing on it.
    fn check(&self, options: &Options) -> Result<(), Error>;

    /// Compiles what a run needs.
    fn compile(&self, job: &Job<'_>) -> Result<(), Error>;

    /// Runs a batch.
    fn run(&self, job: &Job<'_>) -> Result<RunOutput, Error>;
}
