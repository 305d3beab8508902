//! A unit on several devices, and how a launch is divided among them.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crate::error::GpuError;
use crate::gpu::backend::{Cluster, Executable, GridPart, KernelCall, Shape, Started};

/// A unit that is loaded on every device of a cluster.
#[derive(Clone)]
pub(super) struct ClusterProgram {
    /// One for each device.
    programs: Vec<Arc<dyn Executable>>,
    /// The kernels that are on the first device: their blocks may wait for each other, or it has all elements.
    waiting: Vec<&'static str>,
    cluster: Cluster,
    /// Kernels that the first device runs, and a unit of one device that has them.
    alone: Option<(Vec<&'static str>, Arc<dyn Executable>)>,
    /// [`ClusterBackend::order`](super::ClusterBackend).
    order: Arc<Mutex<()>>,
}

impl ClusterProgram {
    pub(super) fn new(
        programs: Vec<Arc<dyn Executable>>,
        waiting: Vec<&'static str>,
        cluster: Cluster,
        order: Arc<Mutex<()>>,
    ) -> ClusterProgram {
        ClusterProgram { programs, waiting, cluster, alone: None, order }
    }

    /// Returns the unit of one device that has a kernel, if the first one runs it.
    fn alone(&self, entry: &'static str) -> Option<&dyn Executable> {
        let (_, program) = self.alone.as_ref().filter(|(entries, _)| entries.contains(&entry))?;
        Some(&**program)
    }

    /// Returns whether all blocks of a launch are on the first device.
    fn is_on_first(&self, entry: &str, shape: Shape) -> bool {
        self.waiting.contains(&entry) || !self.cluster.divides(shape.threads())
    }
}

/// Returns the parts of a grid for that many devices. They differ by one block at most, and some can have none.
fn parts(grid: u32, devices: usize) -> Vec<GridPart> {
    let border = |nth: usize| (u64::from(grid) * nth as u64 / devices as u64) as u32;
    let part = |nth| GridPart { first: border(nth), blocks: border(nth + 1) - border(nth), all: grid };
    (0..devices).map(part).collect()
}

impl Executable for ClusterProgram {
    fn resident_blocks(&self, entry: &'static str, block: u32, shared: u32) -> Result<u32, GpuError> {
        if let Some(alone) = self.alone(entry) {
            return alone.resident_blocks(entry, block, shared);
        }
        let mut least = u32::MAX;
        for program in &self.programs {
            least = least.min(program.resident_blocks(entry, block, shared)?);
        }
        Ok(if self.waiting.contains(&entry) { least } else { least * self.programs.len() as u32 })
    }

    fn scratch(&self, entry: &'static str) -> Result<u64, GpuError> {
        match self.alone(entry) {
            Some(alone) => alone.scratch(entry),
            None => self.programs.iter().map(|program| program.scratch(entry)).sum(),
        }
    }

    fn start(&self, call: KernelCall<'_>) -> Result<Started, GpuError> {
        if let Some(alone) = self.alone(call.entry) {
            return alone.start(call);
        }
        let devices = if self.is_on_first(call.entry, call.shape) { 1 } else { self.programs.len() };
        let _alone = self.order.lock().unwrap_or_else(PoisonError::into_inner);
        let mut started = Vec::with_capacity(devices);
        for (nth, part) in parts(call.shape.grid, devices).into_iter().enumerate().filter(|(_, part)| part.blocks > 0) {
            let parameters = call.parameters_on(nth);
            started.push(self.programs[nth].start_part(KernelCall { parameters: &parameters, ..call }, part)?);
        }
        Ok(Started(Box::new(move || longest(started))))
    }

    fn on_first(&self, entries: &[&'static str], alone: Arc<dyn Executable>) -> Option<Arc<dyn Executable>> {
        Some(Arc::new(ClusterProgram { alone: Some((entries.to_vec(), alone)), ..self.clone() }))
    }

    fn start_part(&self, _call: KernelCall<'_>, _part: GridPart) -> Result<Started, GpuError> {
        unreachable!("no cluster is a part of another one")
    }
}

/// Waits for the end on all devices. Returns the longest time, or the first error.
fn longest(started: Vec<Started>) -> Result<Duration, GpuError> {
    let ends: Vec<Result<Duration, GpuError>> = started.into_iter().map(Started::wait).collect();
    ends.into_iter().try_fold(Duration::ZERO, |longest, took| Ok(longest.max(took?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_block_is_in_one_part() {
        for (grid, devices) in [(1, 1), (1, 4), (7, 2), (8, 3), (1056, 4), (u32::MAX, 3)] {
            let parts = parts(grid, devices);
            assert_eq!((parts.len(), parts[0].first), (devices, 0));
            assert!(parts.windows(2).all(|two| two[0].first + two[0].blocks == two[1].first));
            assert_eq!(parts.last().map(|last| last.first + last.blocks), Some(grid));
            let sizes = parts.iter().map(|part| part.blocks);
            assert!(
                sizes.clone().max().unwrap() - sizes.min().unwrap() <= 1 && parts.iter().all(|part| part.all == grid)
            );
        }
    }
}
