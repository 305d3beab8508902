//! What the kernels of a profiled run count, on the device.

use std::ops::Range;
use std::sync::Arc;

use kernels_gen::abi::launch::ArrayAddress;
use kernels_gen::abi::profile::ProfileLayout;

use super::array::GpuArray;
use super::layout;
use super::locks::Terms;
use crate::backend::Job;
use crate::error::GpuError;
use crate::gpu::backend::{DeviceBuffer, Driver, HostSliceMut};
use crate::memory;

/// The counts on the device.
pub(crate) struct Profile {
    pub(crate) layout: ProfileLayout,
    words: DeviceBuffer,
}

impl Profile {
    pub(crate) fn new(backend: &Arc<dyn Driver>, job: &Job<'_>) -> Result<Profile, GpuError> {
        let layout = ProfileLayout::of(job.procedures.iter().map(|procedure| procedure.spec.locations.len()));
        let words = DeviceBuffer::zeroed(backend, "conflict counters", 8 * layout.words())?;
        Ok(Profile { layout, words })
    }

    pub(crate) fn address(&self) -> u64 {
        self.words.address()
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.words.bytes() as u64
    }

    /// Returns all words.
    pub(crate) fn download(&self) -> Result<Vec<u64>, GpuError> {
        let mut words = memory::zeroed("a report", self.layout.words())?;
        self.words.download(0, HostSliceMut::U64(&mut words))?;
        Ok(words)
    }
}

impl GpuArray {
    /// Returns the elements whose lock word is at that address of the device. Without lock words, it is the address of what the engine
    /// keeps for an element, or of its value. `at` has the addresses of the array in a run.
    pub(crate) fn elements_at(&self, terms: Terms, at: &ArrayAddress, address: u64) -> Option<Range<usize>> {
        let nth = |start: u64, each: u64, count: u64| {
            let number = address.checked_sub(start).filter(|_| start != 0)?.checked_div(each)?;
            (number < count).then_some(number as usize)
        };
        let (len, width) = (self.len() as u64, layout::data_bytes(self.layout(terms), self.scalar, 1) as u64);
        let (locks, coverage_log2) = (self.table.locks(terms), self.table.coverage_log2(terms));
        let under = |lock: usize| lock << coverage_log2..self.len().min((lock + 1) << coverage_log2);
        let alone = |index: usize| index..index + 1;
        let kept = self.extra_bytes(terms).checked_div(len).unwrap_or(0);
        nth(at.data, width, len)
            .map(alone)
            .or_else(|| nth(at.locks, terms.engine.lock_bytes as u64, locks).map(under))
            .or_else(|| nth(at.extra, kept, len).map(alone))
    }
}
