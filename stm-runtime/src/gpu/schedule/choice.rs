//! The choice of a plan where nothing is measured.

use kernels_gen::device::{EngineSpec, Foreseen, Known, Planned, Visited, Work};
use kernels_gen::spec::ProcedureSpec;

use super::crowd;
use super::place::Place;
use super::plan::Plan;
use super::prediction::{DOUBT, Demand, HOST_DOUBT, MEASURED_DOUBT};
use super::remembered;
use crate::backend::Job;
use crate::engine::Engine;
use crate::gpu::backend::{HostUse, Limits};
use crate::gpu::memory::sums::MOST_COPIED;
use crate::gpu::unit::foreseen;
use crate::outcome::PlanReason;
use crate::tuning::{Methods, Selected};

/// Returns the plan of a job whose engine was chosen before, where nothing is measured.
pub(crate) fn unmeasured(job: &Job<'_>) -> Plan {
    match job.options.selection.get() {
        Selected::Chosen(tuning) => Plan::chosen(tuning, job.options),
        Selected::Engine(_) | Selected::Among(_) | Selected::Planned(_) => {
            Plan::of(job.options.selection.usual(), job.options)
        }
    }
}

/// Returns the plan of a job on the device, if it runs there.
pub(crate) fn on_device(job: &Job<'_>, limits: Limits) -> Option<Plan> {
    match job.options.selection.get() {
        Selected::Planned(_) => {
            engine_for(job, limits, Demand::of(job)).map(|(engine, _)| Plan::of(engine, job.options))
        }
        Selected::Engine(_) | Selected::Among(_) | Selected::Chosen(_) => Some(unmeasured(job)),
    }
}

/// Returns the methods among which a job's plan chooses.
fn methods(job: &Job<'_>) -> Methods {
    job.options.selection.methods().unwrap_or_default()
}

/// The fewest transactions for which planning pays where it takes several launches (one H200, docs/results).
const MANY: usize = 1 << 14;

/// An engine that gives transactions their turns in push order.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Turns {
    pub(crate) engine: Engine,
    /// The predicted rate; 0 where it was chosen.
    pub(crate) rate: f64,
    /// The rate below which what is left runs elsewhere.
    pub(crate) floor: f64,
}

/// Returns the engines whose stages give all transactions of a batch their turns in push order, if it pays or they were chosen: the next
/// one is for what an earlier one leaves, and the host for what the last one leaves.
pub(crate) fn in_push_order(job: &Job<'_>, limits: Limits, demand: impl FnOnce() -> Demand) -> Vec<Turns> {
    let has_turns = |engine: &Engine| has_turns(engine.spec(), job);
    if let Selected::Engine(engine) = job.options.selection.get() {
        let chosen = Turns { engine, rate: 0.0, floor: 0.0 };
        return Some(chosen).filter(|turns| has_turns(&turns.engine)).into_iter().collect();
    }
    let demand = demand();
    let turns = |engine| Turns { engine, rate: predicted_in_push_order(engine, job, demand), floor: 0.0 };
    let slow = remembered::slow(job);
    let is_slow = |engine: Engine| slow.iter().any(|(place, _)| *place == Place::Device(engine));
    let engines = methods(job).iter().filter(has_turns).filter(|engine| !is_slow(*engine));
    let mut engines: Vec<Turns> = engines.map(turns).collect();
    // Where nothing waits in order, that was faster than turns in place on all programs that were measured (one H100, docs/results).
    let in_place = |turns: &Turns| turns.engine.spec().takes_turns().is_some();
    if are_complete(job) && !engines.iter().all(in_place) {
        engines.retain(|turns| !in_place(turns));
    }
    engines.sort_by(|one, other| other.rate.total_cmp(&one.rate));
    if limits.host == HostUse::Predicted {
        let pays = |turns: &Turns| job.transactions >= MANY && turns.rate > demand.on_host() / DOUBT;
        engines.retain(pays);
    }
    set_floors(&mut engines, demand, limits);
    engines
}

/// How much slower than predicted locks are on what is left: the transactions that conflict most (one H200, SmallBank, docs/results).
const REST: f64 = 2.0;

/// Returns the engine that gives turns to what the stages of another one leave, if all can have them and that is predicted to be faster than locks,
/// and than the host. Where procedures of any order alone are left, their transactions wait, which the host does better than is predicted of
/// turns (one H200, transfers on 16 to 256 accounts and SmallBank, docs/results).
pub(super) fn turns_of_rest(job: &Job<'_>, demand: Demand) -> Option<Turns> {
    let is_meant = |engine: &Engine| engine.spec().planned == Planned::WhereKept && has_turns(engine.spec(), job);
    let is_left = |spec: &&ProcedureSpec| !Visited::AnyOrder.may_contain(spec);
    let left = writers(job).filter(is_left).count();
    let (rate, doubt) = (demand.turns_of_rest(left), if left == 0 { MEASURED_DOUBT } else { DOUBT });
    let is_fast =
        rate > demand.on_device() / REST && rate > demand.on_host() / doubt && job.options.pass_limit.is_none();
    methods(job).iter().find(is_meant).filter(|_| is_fast).map(|engine| Turns { engine, rate, floor: 0.0 })
}

/// Sets the rates below which engines are left: for the next one, or for the host.
fn set_floors(engines: &mut [Turns], demand: Demand, limits: Limits) {
    let next: Vec<f64> = engines.iter().skip(1).map(|turns| turns.rate / MEASURED_DOUBT).collect();
    for (nth, turns) in engines.iter_mut().enumerate() {
        turns.floor = match (limits.host, next.get(nth)) {
            // Chains can be shorter than predicted. So the device has a try where the host is predicted to be not much faster.
            (HostUse::Predicted, _) if turns.rate < demand.on_host() => demand.on_host() / HOST_DOUBT,
            (HostUse::Predicted, Some(next)) => next.max(demand.on_host() / DOUBT),
            (HostUse::Predicted, None) => demand.on_host() / DOUBT,
            // Where the rates are drawn, each engine is left now and then.
            (HostUse::Drawn(seed), Some(_)) if seed % 2 == 0 => f64::INFINITY,
            (HostUse::Drawn(_) | HostUse::Never, _) => 0.0,
        };
    }
}

/// Returns the transactions a second of a device whose stages give them their turns in push order.
fn predicted_in_push_order(engine: Engine, job: &Job<'_>, demand: Demand) -> f64 {
    match engine.spec().takes_turns() {
        Some(Work::Turns(..)) => demand.in_turns(),
        Some(_) => demand.in_rounds(),
        None if are_complete(job) => demand.in_order(),
        None => demand.in_order_with_waits(),
    }
}

/// Returns the transactions a second of a device under that engine, by what is known of a job before it runs.
pub(super) fn predicted(engine: Engine, job: &Job<'_>, demand: Demand) -> f64 {
    match engine.spec().planned {
        Planned::WhereForeseen if are_complete(job) => demand.in_order(),
        Planned::WhereForeseen => demand.in_order_with_waits(),
        Planned::WhereKept => demand.in_turns(),
        _ => demand.on_device(),
    }
}

/// Returns the engine for a batch by what is known before it runs, and why: the last of the methods whose stages suit it, or else locks, if
/// these are among the methods.
pub(crate) fn engine_for(job: &Job<'_>, limits: Limits, demand: Demand) -> Option<(Engine, PlanReason)> {
    let methods = methods(job);
    let suits = |engine: Engine| suits(engine.spec(), job, limits, demand).map(|reason| (engine, reason));
    let suiting = methods.iter().rev().find_map(suits);
    suiting.or_else(|| methods.has_locks().then(|| (Engine::default(), PlanReason::NothingElse)))
}

/// Returns why the stages of an engine suit a batch, if they do.
fn suits(engine: &EngineSpec, job: &Job<'_>, limits: Limits, demand: Demand) -> Option<PlanReason> {
    let visited = engine.last_visited()?;
    let is_visited = |spec: &ProcedureSpec| visited.may_contain(spec);
    match engine.planned {
        Planned::Never => None,
        Planned::WhereUsed => {
            let is_used = job.procedures.iter().any(|procedure| is_visited(procedure.spec));
            is_used.then_some(PlanReason::WriteNothing)
        }
        Planned::WhereCrowded if !most_writers(job, is_visited) => None,
        Planned::WhereCrowded if crowd::is_crowded(job, limits, is_visited) => Some(PlanReason::FewElements),
        Planned::WhereCrowded if crowd::are_dense(job, is_visited) => Some(PlanReason::FewElements),
        Planned::WhereCrowded => demand.is_hot(limits.threads).then_some(PlanReason::HotElements),
        Planned::WhereForeseen if job.transactions < MANY => None,
        Planned::WhereForeseen => {
            if are_long(job) {
                return Some(PlanReason::LongTransactions);
            }
            // Such stages run on one device of a cluster.
            if limits.cluster.devices == 1 && add_to_many(job) {
                return Some(PlanReason::OnlyAdd);
            }
            meet_in_order(job, limits, demand).then_some(PlanReason::LocksPredictedSlower)
        }
        Planned::WhereKept if job.transactions < MANY || !has_turns(engine, job) => None,
        Planned::WhereKept => meet_in_a_block(job, limits, demand).then_some(PlanReason::LocksPredictedSlower),
    }
}

/// Returns whether the last stage of an engine before the execution gives turns to all transactions of a job.
fn has_turns(engine: &EngineSpec, job: &Job<'_>) -> bool {
    let Some(visited) = engine.last_visited() else { return false };
    let known = (visited == Visited::Foreseen).then(|| foreseen(job));
    job.procedures.iter().enumerate().all(|(of, procedure)| match &known {
        Some(known) => known.has_turns(of, procedure.spec),
        None => visited.has_turns(procedure.spec) == Some(true),
    })
}

/// Returns whether transactions meet so often that turns in one block are faster than locks, and than order where nothing waits there.
fn meet_in_a_block(job: &Job<'_>, limits: Limits, demand: Demand) -> bool {
    let in_order = if are_complete(job) { demand.in_order() } else { 0.0 };
    let is_faster = demand.in_turns() > demand.on_device().max(in_order);
    is_faster && demand.fits_a_block() && !commutes(job, limits, demand)
}

/// Returns whether the stages without locks suit a job. What commutes is faster than any order.
fn commutes(job: &Job<'_>, limits: Limits, demand: Demand) -> bool {
    let is_meant = |engine: Engine| engine.spec().planned == Planned::WhereCrowded;
    methods(job).iter().any(|engine| is_meant(engine) && suits(engine.spec(), job, limits, demand).is_some())
}

/// Returns whether the accesses and outcomes of most procedures that write are known beforehand, and one of these is long: under locks, that one
/// would meet all others.
fn are_long(job: &Job<'_>) -> bool {
    let is_long = |spec: &ProcedureSpec, known: &Known| known.outcome && spec.facts.logged() > 0;
    are_foreseen(job, |_, known| known.outcome)
        && foreseen_writers(job, &foreseen(job)).any(|(spec, known)| is_long(spec, known))
}

/// Returns whether all writes add to elements of which no value is needed, and these are too many for copies in the memory of a block: in order,
/// an addition is one atomic operation.
fn add_to_many(job: &Job<'_>) -> bool {
    let known = foreseen(job);
    let elements = || known.written.iter().map(|array| job.arrays[*array].len() as u64).sum::<u64>();
    known.only_adds() && are_complete(job) && elements() > MOST_COPIED
}

/// Returns whether transactions that commit for certain meet so often that locks are slower than order, and by far if some wait there, too.
fn meet_in_order(job: &Job<'_>, limits: Limits, demand: Demand) -> bool {
    let in_order = if are_complete(job) {
        demand.in_order()
    } else if are_foreseen(job, |_, known| known.outcome) {
        demand.in_order_with_waits() / MEASURED_DOUBT
    } else {
        return false;
    };
    demand.on_device() < in_order && !commutes(job, limits, demand)
}

/// Returns whether most procedures that write know beforehand all that they write.
fn are_complete(job: &Job<'_>) -> bool {
    are_foreseen(job, |_, known| known.complete)
}

/// Returns whether the accesses of most procedures that write are known beforehand, and they are of this kind.
fn are_foreseen(job: &Job<'_>, is_meant: impl Fn(&ProcedureSpec, &Known) -> bool) -> bool {
    let known = foreseen(job);
    let foreseen = foreseen_writers(job, &known).filter(|(spec, known)| is_meant(spec, known));
    2 * foreseen.count() > writers(job).count()
}

/// Returns the procedures that write and whose accesses are known beforehand, with what is known.
fn foreseen_writers<'a>(
    job: &'a Job<'_>,
    foreseen: &'a Foreseen,
) -> impl Iterator<Item = (&'static ProcedureSpec, &'a Known)> {
    let known = job.procedures.iter().zip(&foreseen.procedures);
    let known = known.filter_map(|(procedure, known)| Some((procedure.spec, known.as_ref()?)));
    known.filter(|(spec, _)| !spec.facts.read_only)
}

/// Returns the procedures that write.
fn writers(job: &Job<'_>) -> impl Iterator<Item = &'static ProcedureSpec> {
    job.procedures.iter().map(|procedure| procedure.spec).filter(|spec| !spec.facts.read_only)
}

/// Returns whether most procedures that write are of this kind.
fn most_writers(job: &Job<'_>, is_meant: impl Fn(&ProcedureSpec) -> bool) -> bool {
    2 * writers(job).filter(|spec| is_meant(spec)).count() > writers(job).count()
}
