//! The stages of an engine before the execution, with their shapes.

use std::time::Duration;

use kernels_gen::abi::launch::ArrayAddress;
use kernels_gen::device::{Stage, Work, claims, turns};

use super::geometry::{Geometry, LaunchRequest, WARP};
use crate::error::GpuError;
use crate::gpu::backend::{Limits, Loaded};
use crate::gpu::memory::kept;
use crate::gpu::memory::sums::Sums;

/// When a run is left for another place, and at which rate it was.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Exit {
    /// The transactions a second below which it is left; 0 for never.
    pub(crate) floor: f64,
    /// The time that what is left has to take at least for that.
    pub(crate) worth: Duration,
    /// Whether it is left in any case after the stages before the execution, if these leave that many transactions.
    pub(crate) after_visits: Option<u64>,
    /// Whether each of these is executed once before.
    pub(crate) tries_rest: bool,
    /// The rate at which it was left.
    pub(crate) left_at: Option<f64>,
}

impl Loaded {
    /// Returns the blocks of a stage that the device holds at once, each with that much shared memory.
    pub(super) fn resident(&self, stage: &Stage, limits: Limits, shared: u32) -> Result<u32, GpuError> {
        self.program.resident_blocks(stage.entry, stage.block_threads(limits.block), shared)
    }
}

impl LaunchRequest {
    /// Returns the request of a stage that visits transactions, with that many threads. The limits of the execution's threads, by their
    /// memory and by conflicts, are not those of a visit.
    pub(crate) fn of_visit(&self, stage: &Stage, resident: u32, threads: u64) -> LaunchRequest {
        LaunchRequest {
            threads: Some(threads),
            max_threads: None,
            stage: *stage,
            resident,
            groups: None,
            shared: 0,
            contention: None,
            ..*self
        }
    }
}

/// Returns the shape of a stage that makes rounds: the more threads, the longer a barrier takes, and the more transactions wait.
fn of_rounds(stage: &Stage, loaded: &Loaded, request: &LaunchRequest) -> Result<Geometry, GpuError> {
    let block = stage.block_threads(request.limits.block);
    let most = request.at_once().unwrap_or(u64::MAX).saturating_mul(2).min(request.limits.threads / 2);
    let threads = request.threads.unwrap_or_else(|| most.max(block.into()).min(request.transactions));
    let shared = claims::ROUND_BYTES as u32;
    let resident = loaded.program.resident_blocks(stage.entry, block, shared)?;
    Ok(of_whole_warps(stage, request, resident, threads).with_shared(shared))
}

/// Returns the shape of a stage that runs transactions on one block, which keeps that many bytes of arrays. The others find turns, each
/// those of some windows.
fn of_turns(stage: &Stage, loaded: &Loaded, request: &LaunchRequest, kept: u32) -> Result<Geometry, GpuError> {
    let block = stage.block_threads(request.limits.block);
    let shared = turns::of_block(request.limits.shared, loaded.outline.listings).1.max(kept);
    let resident = loaded.program.resident_blocks(stage.entry, block, shared)?;
    let blocks = request.transactions.div_ceil(turns::WINDOW[1]).clamp(1, resident.into());
    let threads = request.threads.unwrap_or(blocks * u64::from(block));
    Ok(of_whole_warps(stage, request, resident, threads).with_shared(shared))
}

/// Returns the shape of that many threads, where all lanes work if the user sets no number.
fn of_whole_warps(stage: &Stage, request: &LaunchRequest, resident: u32, threads: u64) -> Geometry {
    let lanes = request.lanes.or(Some(WARP as u32));
    Geometry::choose(&LaunchRequest { lanes, ..request.of_visit(stage, resident, threads) })
}

/// Returns the stages before the execution, with their shapes. Visits do not conflict, so as many threads as the device holds hide the
/// most latency. If a block keeps arrays, their addresses say where.
pub(super) fn visits(
    loaded: &Loaded,
    request: &LaunchRequest,
    sums: &Sums,
    addresses: &mut [ArrayAddress],
) -> Result<Vec<(&'static Stage, Geometry)>, GpuError> {
    let kept = kept::keep(&loaded.outline.kept, request.limits.shared, addresses);
    let shape = |stage: &&'static Stage| {
        match stage.work {
            Work::Rounds(..) => return Ok((*stage, of_rounds(stage, loaded, request)?)),
            Work::Turns(..) => return Ok((*stage, of_turns(stage, loaded, request, kept)?)),
            _ => {}
        }
        let block = stage.block_threads(request.limits.block);
        let shape = |shared: u32| -> Result<Geometry, GpuError> {
            let resident = loaded.program.resident_blocks(stage.entry, block, shared)?;
            let threads = request.threads.unwrap_or(request.transactions.min(u64::from(resident) * u64::from(block)));
            Ok(Geometry::choose(&request.of_visit(stage, resident, threads)).with_shared(shared))
        };
        let copies = sums.copies(stage, request.limits).map(shape).transpose()?;
        let copies = copies.filter(|shape| sums.is_worth(u64::from(shape.shape.grid), request.transactions));
        Ok((*stage, copies.map_or_else(|| shape(0), Ok)?))
    };
    loaded.outline.stages.iter().map(shape).collect()
}
