//! What a run does before it has its arrays: its transactions go to the device while an earlier run has them.

use std::thread;

use super::device::GpuDevice;
use crate::backend::{Job, Order};
use crate::gpu::memory::ahead::AheadChunk;
use crate::gpu::schedule::choice;
use crate::gpu::schedule::place::Place;
use crate::gpu::schedule::prediction::{Demand, OnHost};
use crate::gpu::schedule::remembered;
use crate::gpu::schedule::small;
use crate::gpu::schedule::steps::{Step, Steps};
use crate::inside;
use crate::tuning::Selected;

/// What a run has then.
#[derive(Default)]
pub(super) struct GoneAhead {
    /// Its transactions, on the device.
    pub(super) chunk: Option<AheadChunk>,
    /// What they ask of a place, if that was needed.
    pub(super) demand: Option<Demand>,
}

impl GoneAhead {
    /// Uploads the transactions of a batch, if its run will find them there: in one chunk, in their order.
    pub(super) fn of(device: &GpuDevice, job: &Job<'_>) -> GoneAhead {
        let mut ahead = GoneAhead::default();
        if job.options.chunk_size.is_some() || small::fallback(job).is_some() {
            return ahead;
        }
        if runs_on_device(job) && AheadChunk::is_large(job) && !remembered::is_known(job) {
            let (demand, chunk) = beside(|| remembered::demand(job), || AheadChunk::of(&device.backend(), job));
            (ahead.demand, ahead.chunk) = (demand, chunk);
        } else if ahead.begins_on_device(device, job) {
            ahead.chunk = AheadChunk::of(&device.backend(), job);
        }
        ahead
    }

    /// Returns whether a run begins on the device, and not with a trial, or with groups of transactions.
    fn begins_on_device(&mut self, device: &GpuDevice, job: &Job<'_>) -> bool {
        let limits = device.backend().limits();
        let mut demand = || *self.demand.insert(remembered::demand(job));
        match job.options.selection.get() {
            _ if job.options.order == Order::Pushed => !choice::in_push_order(job, limits, demand).is_empty(),
            Selected::Engine(engine) => !engine.spec().requires.partitions,
            Selected::Planned(_) => {
                let steps = Steps::of(job, limits, demand());
                steps.visits_first().is_some() || matches!(steps.next(), Some(Step { place: Place::Device(_), .. }))
            }
            Selected::Among(_) | Selected::Chosen(_) => false,
        }
    }
}

/// Returns whether the plan has no other place than the device, whatever the transactions ask for.
fn runs_on_device(job: &Job<'_>) -> bool {
    let is_planned = job.options.selection.methods().is_some();
    let may_begin_on_host = matches!(OnHost::of(job), OnHost::Predicted | OnHost::Always);
    is_planned && job.options.order == Order::Any && !may_begin_on_host
}

/// Does both at once: the first one on a thread of its own, if the system gives one.
fn beside<A: Send, B>(one: impl Fn() -> A + Sync, other: impl FnOnce() -> B) -> (Option<A>, B) {
    let one = || {
        // Functions of transactions may run, only to find their elements.
        let _inside = inside::enter();
        one()
    };
    thread::scope(|scope| {
        let apart = thread::Builder::new().name("stm-plan".into()).spawn_scoped(scope, one).ok();
        let done = other();
        (apart.and_then(|apart| apart.join().ok()), done)
    })
}
