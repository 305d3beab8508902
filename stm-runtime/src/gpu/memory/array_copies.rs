//! Small arrays on each device of a cluster, while no transaction changes them. The first device has all elements of such an array, so the others would
//! read them over the links between the devices.

use std::slice;
use std::sync::Arc;

use kernels_gen::abi::launch::{ArrayAddress, Launch};

use super::array::GpuArray;
use super::arrays::JobArrays;
use super::copies::Copies;
use crate::backend::Job;
use crate::error::GpuError;
use crate::gpu::backend::Driver;

/// The most bytes that are copied for each transaction: these read a few elements each.
const WORTH_COPYING: u64 = 16;

/// Returns whether to copy that many bytes takes less time than it saves.
pub(crate) fn is_worth(bytes: u64, transactions: usize) -> bool {
    bytes <= WORTH_COPYING.saturating_mul(transactions as u64)
}

/// Copies of arrays of a job, with the indices of the arrays.
pub(crate) struct ArrayCopies {
    /// Of arrays that nothing changes.
    constant: Vec<(usize, Copies)>,
    /// Of others, which are filled when transactions that only read begin.
    at_rest: Vec<(usize, Copies)>,
}

impl ArrayCopies {
    /// Copies the arrays that nothing changes, and lets their addresses be those of the first copies. Allocates memory for copies of the others,
    /// if there is a stage that reads them at rest.
    pub(crate) fn new(
        backend: &Arc<dyn Driver>,
        job: &Job<'_>,
        arrays: &JobArrays<'_>,
        are_at_rest: bool,
        addresses: &mut [ArrayAddress],
    ) -> Result<ArrayCopies, GpuError> {
        let divided = backend.limits().cluster.divided;
        let copies = |at: usize| {
            Launch::array_word(at)?;
            let bytes = array(job, at)?.with_elements(|data| data.bytes())?;
            let is_meant = (bytes as u64) < divided && is_worth(bytes as u64, job.transactions);
            let copies = is_meant.then(|| Copies::new(backend, "copies of arrays", bytes)).flatten();
            copies.map(|copies| (at, copies))
        };
        let (constant, others): (Vec<usize>, Vec<usize>) =
            (0..job.arrays.len()).partition(|at| arrays.is_constant(*at));
        let mut constant: Vec<_> = constant.into_iter().filter_map(copies).collect();
        let at_rest = others.into_iter().filter(|_| are_at_rest).filter_map(copies).collect();
        fill(&mut constant, job, addresses)?;
        Ok(ArrayCopies { constant, at_rest })
    }

    /// Copies the others, and lets the addresses be those of the first copies.
    pub(crate) fn fill(&mut self, job: &Job<'_>, addresses: &mut [ArrayAddress]) -> Result<(), GpuError> {
        fill(&mut self.at_rest, job, addresses)
    }

    /// Returns the parameters of a launch on these arrays that are addresses of copies, and the bytes from one copy to the next.
    pub(crate) fn parameters(&self, arrays: &[ArrayAddress]) -> impl Iterator<Item = (usize, u64)> {
        let is_meant = |(at, copies): &&(usize, Copies)| arrays[*at].data == copies.address();
        self.all().filter(is_meant).filter_map(|(at, copies)| Some((Launch::array_word(*at)?, copies.pitch)))
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.all().map(|(_, copies)| copies.bytes()).sum()
    }

    fn all(&self) -> impl Iterator<Item = &(usize, Copies)> {
        self.constant.iter().chain(&self.at_rest)
    }
}

fn array<'a>(job: &Job<'a>, at: usize) -> Option<&'a GpuArray> {
    job.arrays[at].store()
}

fn fill(all: &mut [(usize, Copies)], job: &Job<'_>, addresses: &mut [ArrayAddress]) -> Result<(), GpuError> {
    for (at, copies) in all {
        let fill =
            |array: &GpuArray| array.with_elements(|data| copies.fill(data, 0, slice::from_ref(&(0..data.bytes()))));
        array(job, *at).and_then(fill).transpose()?;
        addresses[*at].data = copies.address();
    }
    Ok(())
}
