//! The choice of a plan where nothing is measured.

use kernels_gen::device::Planned;

use super::geometry;
use super::plan::Plan;
use crate::backend::Job;
use crate::engine::Engine;
use crate::gpu::backend::Limits;
use crate::tuning::Selected;

/// Returns the plan of a job where nothing is measured.
pub(crate) fn unmeasured(job: &Job<'_>, limits: Limits) -> Plan {
    match job.options.selection.get() {
        Selected::Chosen(tuning) => Plan::chosen(tuning, job.options),
        Selected::Planned => Plan::of(engine_for(job, limits), job.options),
        Selected::Engine(_) | Selected::Among(_) => Plan::of(job.options.selection.usual(), job.options),
    }
}

/// Returns the engine for a batch by what is known before it runs: the last in the list whose stages suit it.
pub(super) fn engine_for(job: &Job<'_>, limits: Limits) -> Engine {
    let suits = |engine: &&Engine| {
        let spec = engine.spec();
        let Some(visited) = spec.last_visited() else { return false };
        match spec.planned {
            Planned::Never => false,
            Planned::WhereUsed => job.procedures.iter().any(|procedure| visited.may_contain(procedure.spec)),
            Planned::WhereCrowded => {
                let writers = || job.procedures.iter().filter(|procedure| !procedure.spec.facts.read_only);
                let those = writers().filter(|procedure| visited.may_contain(procedure.spec)).count();
                2 * those > writers().count() && geometry::is_crowded(job, limits, |spec| visited.may_contain(spec))
            }
        }
    };
    Engine::ALL.iter().rev().find(suits).copied().unwrap_or_default()
}
