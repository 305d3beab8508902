//! How the transactions of a chunk reach the device: before its launches, together with the first one, or in parts, of which the first
//! run while later ones are on their way.

use std::ops::Range;
use std::time::{Duration, Instant};

use kernels_gen::abi::launch::Launch;

use super::coming::Coming;
use super::run::{Bounds, Run};
use crate::error::GpuError;
use crate::gpu::backend::{KernelCall, Shape};
use crate::gpu::memory::chunks::Placed;
use crate::gpu::memory::transactions::Transactions;

/// The most parts of a chunk: each costs a launch.
const MOST_PARTS: usize = 16;

impl Run<'_, '_> {
    /// Returns how a chunk reaches the device.
    pub(super) fn coming<'c>(
        &self,
        placed: &'c [Placed<'c>],
        transactions: &Transactions<'_>,
        bounds: Bounds,
    ) -> Coming<'c> {
        let (limits, job) = (self.request.limits, self.run_state.job);
        // Stages before the execution see all transactions, and so do engines with groups of them.
        if !self.visits.is_empty() || self.has_groups() {
            return Coming::There;
        }
        if self.buffers.is_small(limits) {
            return Coming::Along(placed);
        }
        // The rows of a part of several procedures would have to be found. Printed lines are read after each launch. Where the place may
        // be left, and in a trial, the first launch is a measurement.
        let is_plain = bounds.is_first && bounds.kernel.is_none() && self.exit.floor == 0.0 && self.lines.is_none();
        let (all, part) = (transactions.len(), limits.arrival.part);
        match transactions {
            Transactions::Range(_) if is_plain && job.rows.is_none() && all >= 2 * part => {
                Coming::InParts(placed, part.max(all.div_ceil(MOST_PARTS)))
            }
            _ => Coming::There,
        }
    }

    /// Uploads a chunk part by part, and launches the execution on each part as soon as it is there. Returns the counters of all these
    /// launches.
    pub(super) fn launch_parts(
        &mut self,
        shape: Shape,
        (placed, each): (&[Placed<'_>], usize),
        parameters: &Launch,
    ) -> Result<Vec<u64>, GpuError> {
        let begin = Instant::now();
        let all = parameters.transactions as usize;
        let parts: Vec<Range<usize>> = (0..all).step_by(each).map(|first| first..all.min(first + each)).collect();
        let uploads: Vec<_> = parts.iter().map(|part| self.buffers.part(placed, part)).collect();
        let (budget_ns, entry) = (parameters.budget_ns / parts.len() as u64, self.engine.execution().entry);
        self.buffers.zero_counters()?;
        let mut started = Vec::with_capacity(parts.len());
        self.buffers.upload_parts(&uploads, &mut |nth| {
            let Range { start, end } = parts[nth];
            let (first, end) = (start as u64, end as u64);
            let words = Launch { first, end, budget_ns, ..parameters.clone() }.words();
            started.push(self.loaded.program.start(KernelCall { entry, shape, parameters: &words })?);
            Ok(())
        })?;
        let mut kernels = Duration::ZERO;
        for kernel in started {
            kernels += kernel.wait()?;
        }
        self.run_state.launches += parts.len() as u64;
        let counts = self.buffers.download_counters()?;
        self.add_kernel(kernels);
        // What no kernel hides of the copies.
        self.run_state.output.times.upload += begin.elapsed().saturating_sub(kernels);
        Ok(counts)
    }
}
