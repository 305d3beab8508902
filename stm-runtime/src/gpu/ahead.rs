//! What a run does before it has its arrays: its transactions go to the device while an earlier run has them.

use super::device::GpuDevice;
use crate::backend::{Job, Order};
use crate::gpu::memory::ahead::AheadChunk;
use crate::gpu::schedule::choice;
use crate::gpu::schedule::steps::{Place, Step, Steps};
use crate::tuning::Selected;

/// Uploads the transactions of a batch, if its run will find them there: in one chunk, in their order.
pub(super) fn go_ahead(device: &GpuDevice, job: &Job<'_>) -> Option<AheadChunk> {
    let is_whole = job.options.chunk_size.is_none() && begins_on_device(device, job);
    is_whole.then(|| AheadChunk::of(&device.backend(), job)).flatten()
}

/// Returns whether a run begins on the device, and not with a trial, or with groups of transactions.
fn begins_on_device(device: &GpuDevice, job: &Job<'_>) -> bool {
    let limits = device.backend().limits();
    match job.options.selection.get() {
        _ if job.options.order == Order::Pushed => choice::in_push_order(job, limits).is_some(),
        Selected::Engine(engine) => !engine.spec().requires.partitions,
        Selected::Planned => {
            let steps = Steps::of(job, limits);
            steps.visits_first().is_some() || matches!(steps.next(), Some(Step { place: Place::Device(_), .. }))
        }
        Selected::Among(_) | Selected::Chosen(_) => false,
    }
}
