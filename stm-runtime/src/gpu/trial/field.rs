//! The candidates of a trial, and the selection after each round.

use kernels_gen::device::Locks;

use crate::backend::Job;
use crate::engine::Engine;
use crate::gpu::schedule::geometry::{Geometry, LaunchRequest};
use crate::gpu::schedule::plan::Plan;

/// A candidate may take this many times as long for its chunk as the best of its round.
pub(in crate::gpu) const PATIENCE: f64 = 4.0;
/// The number of engines whose shapes are tried.
pub(super) const FINALISTS: usize = 3;
/// The smallest number of threads to try; smaller numbers are left to the default geometry.
const FEWEST_THREADS: u64 = 32;
/// The elements under one lock word, as a power of two, in trials with fewer lock words.
const COARSE_LOG2: u32 = 3;
/// The number of lock words from which fewer are tried: smaller tables fit in caches.
const MANY_LOCKS: usize = 1 << 20;

/// An engine with a shape.
#[derive(Debug, Clone, Copy)]
pub(super) struct Candidate {
    pub(super) plan: Plan,
    /// The request that determines the shape, once it is known.
    pub(super) request: Option<LaunchRequest>,
    /// Commits per second in the last measurement.
    pub(super) rate: Option<f64>,
    /// Transactions of the measured chunk.
    pub(super) transactions: usize,
}

impl Candidate {
    pub(super) fn new(plan: Plan) -> Candidate {
        Candidate { plan, request: None, rate: None, transactions: 0 }
    }

    pub(super) fn threads(&self) -> u64 {
        self.request.map_or(0, |request| Geometry::choose(&request).threads())
    }
}

/// Keeps the candidates that have a rate, the best first.
pub(super) fn best_first(field: &mut Vec<Candidate>) {
    field.retain(|candidate| candidate.rate.is_some());
    field.sort_by(|a, b| b.rate.unwrap_or(0.0).total_cmp(&a.rate.unwrap_or(0.0)));
}

/// Keeps the candidates that are not hopeless, and the default engine; the best on short chunks is first. Returns the candidate to
/// run
/// if nothing more can be measured: short chunks say little, so this is the default engine if it is not hopeless.
pub(super) fn drop_hopeless(field: &mut Vec<Candidate>, usual: Engine) -> Option<Candidate> {
    let first = field.first().copied();
    let best = first.and_then(|candidate| candidate.rate).unwrap_or(0.0);
    let is_usual = |candidate: &&Candidate| candidate.plan.engine == usual;
    let bears_comparison = |candidate: &&Candidate| candidate.rate.unwrap_or(0.0) * PATIENCE >= best;
    field.retain(|candidate| is_usual(&candidate) || bears_comparison(&candidate));
    field.iter().filter(is_usual).find(bears_comparison).copied().or(first)
}

/// Keeps the `most` best candidates and the default engine; the best is first. Returns the number of dropped ones.
pub(super) fn keep(field: &mut Vec<Candidate>, usual: Engine, most: usize) -> usize {
    let at = field.iter().position(|candidate| candidate.plan.engine == usual);
    if let Some(at) = at.filter(|at| *at >= most) {
        field.swap(at, most - 1);
    }
    let left_out = field.len().saturating_sub(most);
    field.truncate(most);
    left_out
}

/// Groups candidates with the same array layout: otherwise every array would be converted in between.
pub(super) fn side_by_side(field: &mut [Candidate]) {
    let layout = |candidate: &Candidate| (candidate.plan.engine, candidate.plan.coverage_log2);
    let order: Vec<_> = field.iter().map(layout).collect();
    field.sort_by_key(|candidate| order.iter().position(|first| *first == layout(candidate)));
}

/// Returns the same engine with other shapes, as far as the user's options allow.
pub(super) fn shapes(candidate: &Candidate, job: &Job<'_>) -> Vec<Candidate> {
    let Some(request) = candidate.request else { return Vec::new() };
    let mut all = Vec::new();
    let mut known = vec![Geometry::choose(&request)];
    for plan in other_shapes(&candidate.plan, &request) {
        let request =
            LaunchRequest { threads: plan.threads.map(|threads| threads as u64), lanes: plan.lanes, ..request };
        let geometry = Geometry::choose(&request);
        if !known.contains(&geometry) {
            known.push(geometry);
            all.push(Candidate { request: Some(request), ..Candidate::new(plan) });
        }
    }
    // Early in the list, because the transactions often suffice for few candidates.
    let second = all.len().min(1);
    all.splice(second..second, coarse(candidate, job));
    all
}

fn other_shapes(plan: &Plan, request: &LaunchRequest) -> Vec<Plan> {
    let usual = Geometry::choose(request).threads();
    let mut plans = Vec::new();
    if plan.threads.is_none() {
        let some = [usual * 4, usual / 4, usual / 16].into_iter();
        let some = some.filter(|threads| (FEWEST_THREADS..=request.limits.threads).contains(threads));
        plans.extend(some.map(|threads| Plan { threads: Some(threads as usize), ..*plan }));
    }
    // Where idle lanes occupy host threads, or lanes are served together, all lanes should be active.
    if plan.lanes.is_none() && request.limits.spread && request.stage.has_free_shape() && !request.stage.is_served() {
        let threads = Some(plan.threads.unwrap_or(usual as usize));
        plans.extend([1, 8, 32].map(|lanes| Plan { threads, lanes: Some(lanes), ..*plan }));
    }
    plans
}

/// Returns the same candidate with fewer lock words, if there are many.
fn coarse(candidate: &Candidate, job: &Job<'_>) -> Option<Candidate> {
    let arrays = job.arrays.iter().zip(job.records()).enumerate();
    // The components of a record have the same lock words.
    let locks: usize =
        arrays.filter(|(at, (_, first))| at == first).map(|(_, (array, _))| array.len() >> array.coverage_log2()).sum();
    let own = job.arrays.iter().map(|array| array.coverage_log2()).max().unwrap_or(0);
    let helps = candidate.plan.engine.spec().locks == Locks::Always && locks > MANY_LOCKS && own < COARSE_LOG2;
    let plan = Plan { coverage_log2: COARSE_LOG2, ..candidate.plan };
    helps.then_some(Candidate { request: candidate.request, ..Candidate::new(plan) })
}

#[cfg(test)]
mod tests {
    use kernels_gen::device::{Stage, ThreadMapping};

    use super::*;
    use crate::gpu::backend::Limits;
    use crate::gpu::backend::{ALONG, Cluster, HostUse, LISTED_FROM};

    const LIMITS: Limits = Limits {
        block: 256,
        threads: 132 * 2048,
        spread: true,
        shared: 48 * 1024,
        host: HostUse::Never,
        along: ALONG,
        cluster: Cluster::ONE,
        lists: LISTED_FROM,
    };

    fn plan() -> Plan {
        Plan { engine: Engine::default(), threads: None, lanes: None, coverage_log2: 0 }
    }

    fn request() -> LaunchRequest {
        LaunchRequest {
            groups: None,
            shared: 0,
            threads: None,
            lanes: None,
            max_threads: None,
            stage: Stage::EXECUTE,
            transactions: 1 << 24,
            contention: Some(4096),
            is_long: false,
            limits: LIMITS,
            resident: 132 * 8,
        }
    }

    #[test]
    fn shapes_are_as_open_as_the_user_leaves_them() {
        let shapes = |plan: Plan, request: LaunchRequest| other_shapes(&plan, &request);
        let open = shapes(plan(), request());
        assert_eq!(open.iter().filter_map(|plan| plan.lanes).collect::<Vec<_>>(), [1, 8, 32]);
        let threads: Vec<_> = open.iter().filter(|plan| plan.lanes.is_none()).filter_map(|plan| plan.threads).collect();
        assert_eq!(threads, [4 * 4096, 1024, 256]);
        let said = Plan { threads: Some(100), ..plan() };
        assert!(shapes(said, request()).iter().all(|plan| plan.threads == Some(100) && plan.lanes.is_some()));
        let all_said = Plan { lanes: Some(4), ..said };
        assert!(shapes(all_said, request()).is_empty());
        let served = LaunchRequest { stage: Stage { service_blocks: 1, ..Stage::EXECUTE }, ..request() };
        assert!(shapes(plan(), served).iter().all(|plan| plan.lanes.is_none()));
        let one = LaunchRequest { stage: Stage { threads: ThreadMapping::One, ..Stage::EXECUTE }, ..request() };
        assert!(shapes(plan(), one).is_empty());
    }

    #[test]
    fn candidates_of_one_engine_take_their_turns_together() {
        let of = |at: usize, lanes| Candidate::new(Plan { engine: Engine::ALL[at], lanes: Some(lanes), ..plan() });
        let mut field = [of(1, 1), of(0, 2), of(1, 3), of(0, 4)];
        side_by_side(&mut field);
        assert_eq!(field.map(|candidate| candidate.plan.lanes), [1, 3, 2, 4].map(Some));
    }

    #[test]
    fn the_best_come_first_and_those_without_a_rate_not_at_all() {
        let with = |rate| Candidate { rate, ..Candidate::new(plan()) };
        let mut field = vec![with(Some(1.0)), with(None), with(Some(3.0)), with(Some(2.0))];
        best_first(&mut field);
        assert_eq!(field.iter().filter_map(|candidate| candidate.rate).collect::<Vec<_>>(), [3.0, 2.0, 1.0]);
    }

    #[test]
    fn the_hopeless_go_and_the_usual_one_stays() {
        let of = |at: usize| Plan { engine: Engine::ALL[at], ..plan() };
        let with = |at: usize, rate| Candidate { rate: Some(rate), ..Candidate::new(of(at)) };
        let engines = |field: &[Candidate]| field.iter().map(|candidate| candidate.plan.engine).collect::<Vec<_>>();
        let all = vec![with(1, 9.0), with(2, 8.0), with(3, 7.0), with(0, 6.0), with(4, 1.0)];
        let mut field = all.clone();
        let runs = |chosen: Option<Candidate>| chosen.map(|candidate| candidate.plan.engine);
        assert_eq!(runs(drop_hopeless(&mut field, Engine::ALL[4])), Some(Engine::ALL[1]));
        assert_eq!(field.len(), 5);
        assert_eq!(runs(drop_hopeless(&mut field, Engine::ALL[0])), Some(Engine::ALL[0]));
        assert_eq!(field.len(), 4);
        assert_eq!(keep(&mut field, Engine::ALL[0], 3), 1);
        assert_eq!(engines(&field), [1, 2, 0].map(|at| Engine::ALL[at]));
        assert_eq!(keep(&mut field, Engine::ALL[0], 9), 0);
    }
}
