//! The stage that sums up what transactions of any order may change, first on a part of the chunk: that shows whether there is enough for all.

use std::time::Duration;

use kernels_gen::abi::launch::Launch;
use kernels_gen::device::{Stage, Work};

use super::geometry::Geometry;
use super::run::{Run, SLICE};
use crate::error::GpuError;
use crate::gpu::memory::partitions::Groups;

/// The part of the chunk that is summed up first, and the part of the elements that are looked at then (`stm_check_changes`).
const PART: u64 = 32;
/// The part of the elements that may be near their limits: where more are, locks are faster (one H200, transfers, docs/results).
const FEW: u64 = 256;
/// Elements for each thread of the device from which that is so: with fewer, many transactions wait for each other under locks.
const MANY: u64 = 2;
/// The time of the first part up to which a launch sums up all the rest.
const SHORT: Duration = Duration::from_millis(25);

impl Run<'_, '_> {
    /// Sums up what the transactions of a chunk may change. Returns false if many elements have too little for all of them, and locks are faster
    /// than stages that leave what is near a limit.
    pub(super) fn sum_up(&mut self, stage: &Stage, shape: Geometry, chunk: (u64, Groups)) -> Result<bool, GpuError> {
        let check = self.visits.iter().find(|(stage, _)| matches!(stage.work, Work::Check(_))).copied();
        let are_many = self.sums.elements() >= self.request.limits.threads.saturating_mul(MANY);
        let (Some((check, all)), true) = (check, chunk.0 >= PART && are_many) else {
            self.start_visit(stage, shape, chunk, (0..chunk.0, false))?;
            return Ok(true);
        };
        let before = self.kernel;
        let part = self.start_visit(stage, shape, chunk, (0..chunk.0 / PART, false))?;
        let is_short = self.kernel - before <= SHORT;
        let parameters = Launch { end: part.max(1), ..self.parameters(all, chunk, false, SLICE) };
        self.start(check.entry, all, &parameters)?;
        let is_enough = self.sums.counted()?.saturating_mul(PART * FEW) <= self.sums.elements();
        if is_enough {
            self.start_visit(stage, shape, chunk, (part..chunk.0, is_short))?;
        }
        Ok(is_enough)
    }
}
