//! The stages of an engine before the execution, with their shapes.

use kernels_gen::device::Stage;

use super::geometry::{Geometry, LaunchRequest};
use crate::error::GpuError;
use crate::gpu::backend::Loaded;
use crate::gpu::memory::sums::Sums;

/// When a run is left for another place, and at which rate it was.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Exit {
    /// The transactions a second below which it is left; 0 for never, and infinity for right after the stages before the execution.
    pub(crate) floor: f64,
    /// The rate at which it was left.
    pub(crate) left_at: Option<f64>,
}

/// Returns the stages before the execution, with their shapes. Visits do not conflict, so as many threads as the device holds hide the
/// most latency.
pub(super) fn visits(
    stages: &[&'static Stage],
    loaded: &Loaded,
    request: &LaunchRequest,
    sums: &Sums,
) -> Result<Vec<(&'static Stage, Geometry)>, GpuError> {
    let shape = |stage: &&'static Stage| {
        let block = stage.block_threads(request.limits.block);
        let shape = |shared: u32| -> Result<Geometry, GpuError> {
            let resident = loaded.program.resident_blocks(stage.entry, block, shared)?;
            let threads = request.threads.unwrap_or(request.transactions.min(u64::from(resident) * u64::from(block)));
            // Visits need no memory for threads, so its limit is not theirs.
            let (threads, max_threads, contention) = (Some(threads), None, None);
            let request = LaunchRequest {
                threads,
                max_threads,
                stage: **stage,
                resident,
                groups: None,
                shared: 0,
                contention,
                ..*request
            };
            Ok(Geometry::choose(&request).with_shared(shared))
        };
        let copies = sums.copies(stage, request.limits).map(shape).transpose()?;
        let copies = copies.filter(|shape| sums.is_worth(u64::from(shape.shape.grid), request.transactions));
        Ok((*stage, copies.map_or_else(|| shape(0), Ok)?))
    };
    stages.iter().map(shape).collect()
}
