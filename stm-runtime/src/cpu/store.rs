//! The arrays of CPU threads as an `ArrayStore`.

use crate::backend::{Array, ArrayStore, Job};
use crate::error::Error;
use crate::tx::CpuArray;

impl ArrayStore for CpuArray {
    fn words(&self) -> Result<Vec<u64>, Error> {
        Ok(CpuArray::words(self)?)
    }
}

/// The arrays of a job.
pub(super) fn arrays_of<'a>(job: &Job<'a>) -> Vec<&'a CpuArray> {
    job.arrays.iter().filter_map(Array::store).collect()
}
