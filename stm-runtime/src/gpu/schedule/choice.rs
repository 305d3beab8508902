//! The choice of a plan where nothing is measured.

use kernels_gen::device::{EngineSpec, Known, Planned, Visited};
use kernels_gen::spec::ProcedureSpec;

use super::geometry;
use super::plan::Plan;
use super::prediction::{DOUBT, Demand};
use crate::backend::{CompiledProcedure, Job};
use crate::engine::Engine;
use crate::gpu::backend::{HostUse, Limits};
use crate::gpu::unit::foreseen;
use crate::tuning::Selected;

/// Returns the plan of a job where nothing is measured.
pub(crate) fn unmeasured(job: &Job<'_>, limits: Limits) -> Plan {
    match job.options.selection.get() {
        Selected::Chosen(tuning) => Plan::chosen(tuning, job.options),
        Selected::Planned => Plan::of(engine_for(job, limits, Demand::of(job)), job.options),
        Selected::Engine(_) | Selected::Among(_) => Plan::of(job.options.selection.usual(), job.options),
    }
}

/// The fewest transactions for which planning pays where it takes several launches (one H200, docs/results).
const MANY: usize = 1 << 14;

/// Returns the engine whose stages give all transactions of a batch their turns in push order, if there is one, and it pays or was
/// chosen; and the rate below which the host is faster.
pub(crate) fn in_push_order(job: &Job<'_>, limits: Limits) -> Option<(Engine, f64)> {
    let takes_turns = |engine: &&Engine| engine.spec().last_visited() == Some(Visited::Foreseen);
    let chosen = match job.options.selection.get() {
        Selected::Engine(engine) => Some((engine, 0.0)),
        _ => {
            let demand = Demand::of(job);
            let floor = if limits.host == HostUse::Predicted { demand.on_host() / DOUBT } else { 0.0 };
            let pays = |engine| job.transactions >= MANY && predicted(engine, job, demand) > demand.on_host();
            let engine = Engine::ALL.iter().find(takes_turns).filter(|engine| floor == 0.0 || pays(**engine));
            engine.map(|engine| (*engine, floor))
        }
    };
    let known = foreseen(job);
    chosen.filter(|_| job.procedures.iter().enumerate().all(|(of, procedure)| known.has_turns(of, procedure.spec)))
}

/// Returns the transactions a second of a device under that engine, by what is known of a job before it runs.
pub(super) fn predicted(engine: Engine, job: &Job<'_>, demand: Demand) -> f64 {
    let is_in_order = engine.spec().planned == Planned::WhereForeseen && are_complete(job);
    if is_in_order { demand.in_order() } else { demand.on_device() }
}

/// Returns the engine for a batch by what is known before it runs: the last in the list whose stages suit it.
pub(super) fn engine_for(job: &Job<'_>, limits: Limits, demand: Demand) -> Engine {
    Engine::ALL.iter().rev().find(|engine| suits(engine.spec(), job, limits, demand)).copied().unwrap_or_default()
}

fn suits(engine: &EngineSpec, job: &Job<'_>, limits: Limits, demand: Demand) -> bool {
    let Some(visited) = engine.last_visited() else { return false };
    let is_visited = |spec: &ProcedureSpec| visited.may_contain(spec);
    match engine.planned {
        Planned::Never => false,
        Planned::WhereUsed => job.procedures.iter().any(|procedure| is_visited(procedure.spec)),
        Planned::WhereCrowded => {
            most_writers(job, is_visited)
                && (geometry::is_crowded(job, limits, is_visited) || demand.is_hot(limits.threads))
        }
        Planned::WhereForeseen => {
            let is_long = |spec: &ProcedureSpec, known: &Known| known.outcome && spec.facts.logged() > 0;
            job.transactions >= MANY && (are_foreseen(job, is_long) || meet_in_order(job, limits, demand))
        }
    }
}

/// Returns whether transactions that wait for none in order meet so often that locks are slower. What commutes is faster than both.
fn meet_in_order(job: &Job<'_>, limits: Limits, demand: Demand) -> bool {
    let commutes =
        |engine: &Engine| engine.spec().planned == Planned::WhereCrowded && suits(engine.spec(), job, limits, demand);
    are_complete(job) && demand.on_device() < demand.in_order() && !Engine::ALL.iter().any(commutes)
}

/// Returns whether most procedures that write know beforehand all that they write.
fn are_complete(job: &Job<'_>) -> bool {
    are_foreseen(job, |_, known| known.complete)
}

/// Returns whether the accesses of most procedures that write are known beforehand, and they are of this kind.
fn are_foreseen(job: &Job<'_>, is_meant: impl Fn(&ProcedureSpec, &Known) -> bool) -> bool {
    let known = foreseen(job).procedures;
    let writers = job.procedures.iter().zip(&known).filter(|(procedure, _)| !procedure.spec.facts.read_only);
    let is_one = |(procedure, known): (&CompiledProcedure, &Option<Known>)| {
        known.as_ref().is_some_and(|known| is_meant(procedure.spec, known))
    };
    2 * writers.clone().filter(|one| is_one(*one)).count() > writers.count()
}

/// Returns whether most procedures that write are of this kind.
fn most_writers(job: &Job<'_>, is_meant: impl Fn(&ProcedureSpec) -> bool) -> bool {
    let writers = || job.procedures.iter().map(|procedure| procedure.spec).filter(|spec| !spec.facts.read_only);
    2 * writers().filter(|spec| is_meant(spec)).count() > writers().count()
}
