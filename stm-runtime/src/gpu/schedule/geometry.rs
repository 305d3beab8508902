//! The number of threads of a launch, and their arrangement in blocks and warps.
//!
//! More threads hide more latency until they conflict too often. Unless the user sets the number, three limits
//! apply: the threads that the device holds, the number of transactions, and the elements that they write. With `n` threads in
//! flight, each holding the `f` elements of its footprint, and `e` elements to choose from, a new transaction conflicts with a
//! probability of about `n * f * f / e`. So beyond a few times `e / f` threads, the others only wait.
//!
//! Few threads are spread over many warps: conflicting lanes of one warp run one after the other, those of different warps
//! in parallel.

use kernels_gen::device::{Stage, ThreadMapping};

use super::crowd::{CROWD, TRANSACTIONS_A_THREAD, contention, wanted};
use super::plan::Plan;
use crate::backend::Job;
use crate::gpu::backend::{Limits, Shape};
use crate::outcome::GpuShape;

/// Threads of a warp on every device.
pub(super) const WARP: u64 = 32;

/// The minimum number of threads: fewer are not worthwhile even on a single element.
const FEWEST: u64 = 32;

/// A launch's shape.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Geometry {
    pub(crate) shape: Shape,
    /// Lanes of each warp that run transactions.
    pub(crate) lanes: u32,
    /// Additional blocks of commit servers.
    pub(crate) service_blocks: u32,
}

/// The inputs of the geometry.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LaunchRequest {
    /// Threads in flight that the user set.
    pub(crate) threads: Option<u64>,
    /// Lanes that the user set.
    pub(crate) lanes: Option<u32>,
    /// The engine's own limit.
    pub(crate) max_threads: Option<u64>,
    /// The stage to launch.
    pub(crate) stage: Stage,
    /// Groups of transactions that each need their own block, for engines with partitions.
    pub(crate) groups: Option<u64>,
    /// Bytes of shared memory of each block.
    pub(crate) shared: u32,
    pub(crate) transactions: u64,
    /// Threads beyond which conflicts are certain; `None` where nothing is written, or conflicts cost little.
    pub(crate) contention: Option<u64>,
    /// Whether transactions have many accesses, or accesses in loops.
    pub(crate) is_long: bool,
    pub(crate) limits: Limits,
    /// Blocks that the device holds at once.
    pub(crate) resident: u32,
}

impl LaunchRequest {
    pub(crate) fn of(job: &Job<'_>, plan: &Plan, limits: Limits, resident: u32) -> LaunchRequest {
        let engine = plan.engine.tuned();
        let stage = engine.execution();
        LaunchRequest {
            threads: plan.threads.map(|threads| threads as u64),
            lanes: plan.lanes,
            max_threads: engine.requires.max_threads,
            stage: *stage,
            groups: None,
            shared: 0,
            transactions: job.transactions as u64,
            // Transactions of one server batch share its answers: more of them are faster even when they conflict.
            contention: if stage.is_served() { None } else { contention(job, engine.defers_sums, limits) },
            is_long: job.logged() > 0,
            limits,
            resident,
        }
    }

    /// Returns whether the arrays have too few elements for all threads.
    pub(crate) fn is_crowded(&self) -> bool {
        self.contention.is_some_and(|most| most < self.wanted())
    }

    /// Returns how many transactions can run at a time without an element that two of them need; `None` where conflicts cost little.
    pub(super) fn at_once(&self) -> Option<u64> {
        self.contention.map(|most| most / CROWD)
    }

    /// Returns the request with the most threads that it can ever have, if only `most` of them have memory.
    pub(crate) fn within(self, most: Option<u64>) -> LaunchRequest {
        let Some(most) = most else { return self };
        let bounded = LaunchRequest { max_threads: Some(self.max_threads.map_or(most, |own| own.min(most))), ..self };
        let all = Geometry::choose(&LaunchRequest { contention: None, ..bounded }).threads();
        LaunchRequest { max_threads: Some(all), ..self }
    }

    /// Returns the threads that the batch and the device have work and room for.
    fn wanted(&self) -> u64 {
        wanted(self.transactions, self.limits)
    }
}

impl Geometry {
    /// Returns the shape for a request. It is never empty, and never has more blocks than the device holds at once.
    pub(crate) fn choose(request: &LaunchRequest) -> Geometry {
        let block = u64::from(request.stage.block_threads(request.limits.block));
        let resident = u64::from(request.resident.saturating_sub(request.stage.service_blocks).max(1));
        let held = resident * block;
        if !request.stage.has_free_shape() {
            return Geometry::of_blocks(request, resident);
        }
        if let Some(groups) = request.groups {
            return Geometry::of_groups(request, groups.max(1), resident);
        }
        let mut threads = request.threads.unwrap_or_else(|| {
            let usual = request.stage.usual_threads.unwrap_or(u64::MAX);
            let wanted = request.wanted().min(usual);
            request.contention.map_or(wanted, |most| wanted.min(most.max(FEWEST)))
        });
        threads = threads.min(held).min(request.max_threads.unwrap_or(u64::MAX)).max(1);

        let warps_held = held / WARP;
        // The number of warps that saturates memory with all lanes active; with more warps, each has fewer lanes.
        let spread = warps_held.min(request.limits.threads / WARP).max(1);
        let lanes = match request.lanes {
            Some(lanes) => u64::from(lanes).clamp(1, WARP),
            // Served threads form whole warps, as in the paper, though a batch's threads need not fill one.
            None if request.limits.spread && !request.stage.is_served() => {
                threads.div_ceil(spread).next_power_of_two().min(WARP)
            }
            None => WARP,
        }
        .min(threads);
        // A user's number may be rounded up to whole warps and blocks; an engine's own limit may not.
        let whole = request.max_threads.map_or(u64::MAX, |most| whole_blocks(most / lanes, block / WARP));
        let warps = threads.div_ceil(lanes).min(whole).clamp(1, warps_held.max(1));
        Geometry { shape: shape(warps, block), lanes: lanes as u32, service_blocks: request.stage.service_blocks }
    }

    /// Returns a shape with one transaction thread for each block of one warp; conflicts, transactions and the request limit the
    /// blocks.
    fn of_blocks(request: &LaunchRequest, held: u64) -> Geometry {
        let wanted = request.threads.unwrap_or_else(|| {
            let transactions = request.transactions.div_ceil(TRANSACTIONS_A_THREAD);
            request.contention.map_or(transactions, |most| transactions.min(most.max(FEWEST)))
        });
        let is_one = request.stage.threads == ThreadMapping::One;
        let most = if is_one { 1 } else { request.max_threads.unwrap_or(u64::MAX) };
        let blocks = wanted.min(held).min(most).max(1);
        Geometry {
            shape: Shape { grid: blocks as u32, block: WARP as u32, shared: 0 },
            lanes: 1,
            service_blocks: request.stage.service_blocks,
        }
    }

    /// Returns the blocks for groups of transactions: each no larger than its transactions need, and at most one for each group.
    fn of_groups(request: &LaunchRequest, groups: u64, held: u64) -> Geometry {
        let most = u64::from(request.limits.block);
        let wanted = request.transactions.div_ceil(groups).div_ceil(TRANSACTIONS_A_THREAD);
        let lanes = request.lanes.map_or(WARP, |lanes| u64::from(lanes).clamp(1, WARP));
        let each = request.threads.map_or(wanted, |threads| threads.div_ceil(groups.min(held))).min(most);
        let block = each.div_ceil(lanes).clamp(1, most / WARP) * WARP;
        let blocks =
            request.threads.map_or(groups, |threads| threads / (block / WARP * lanes)).clamp(1, groups.min(held));
        let shape = Shape { grid: blocks as u32, block: block as u32, shared: request.shared };
        Geometry { shape, lanes: lanes.min(each.max(1)) as u32, service_blocks: 0 }
    }

    /// Returns the shape to launch.
    pub(crate) fn launched(&self) -> Shape {
        Shape { grid: self.shape.grid + self.service_blocks, ..self.shape }
    }

    /// Returns the threads of a block that run transactions.
    pub(crate) fn threads_of_block(&self) -> u64 {
        u64::from(self.shape.block) / WARP * u64::from(self.lanes)
    }

    /// Returns the shape with that much more memory for each block.
    pub(crate) fn with_shared(self, bytes: u32) -> Geometry {
        Geometry { shape: Shape { shared: self.shape.shared + bytes, ..self.shape }, ..self }
    }

    /// Returns the threads in flight.
    pub(crate) fn threads(&self) -> u64 {
        self.shape.threads() / WARP * u64::from(self.lanes)
    }

    /// Returns about half as many threads, for after a launch that only had conflicts.
    pub(crate) fn halved(&self) -> Geometry {
        let warps = self.shape.threads() / WARP;
        if warps > 1 {
            let shape = shape(warps / 2, u64::from(self.shape.block));
            return Geometry { shape: Shape { shared: self.shape.shared, ..shape }, ..*self };
        }
        Geometry { lanes: (self.lanes / 2).max(1), ..*self }
    }
}

impl From<Geometry> for GpuShape {
    fn from(geometry: Geometry) -> GpuShape {
        let Shape { grid, block, shared } = geometry.shape;
        GpuShape { blocks: grid, threads_per_block: block, lanes: geometry.lanes, shared_bytes: shared }
    }
}

impl std::fmt::Display for Geometry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        GpuShape::from(*self).fmt(f)
    }
}

/// Returns the most of these warps that fill whole blocks, or all of them if they fit into one.
fn whole_blocks(warps: u64, each: u64) -> u64 {
    if warps > each { warps / each * each } else { warps }
}

/// Returns a shape of at least that many warps, in blocks of that size or in a single smaller one.
fn shape(warps: u64, block: u64) -> Shape {
    let each = (block / WARP).min(warps);
    Shape { grid: warps.div_ceil(each) as u32, block: (each * WARP) as u32, shared: 0 }
}

#[cfg(any(test, feature = "mutation"))]
pub(crate) mod tests {
    use super::*;
    use crate::gpu::backend::{ALONG, Cluster, HostUse, LISTED_FROM};

    pub(in crate::gpu) fn request() -> LaunchRequest {
        LaunchRequest {
            threads: None,
            lanes: None,
            max_threads: None,
            stage: Stage::EXECUTE,
            groups: None,
            shared: 0,
            transactions: 1 << 24,
            contention: Some(1 << 20),
            is_long: false,
            limits: Limits {
                block: 256,
                threads: 132 * 2048,
                shared: 1 << 17,
                spread: true,
                host: HostUse::Never,
                along: ALONG,
                cluster: Cluster::ONE,
                lists: LISTED_FROM,
            },
            resident: 132 * 8,
        }
    }

    #[cfg(test)]
    fn mapped(threads: ThreadMapping) -> LaunchRequest {
        LaunchRequest { stage: Stage { threads, ..Stage::EXECUTE }, ..request() }
    }

    #[test]
    fn a_large_batch_fills_the_device() {
        let all = Geometry::choose(&request());
        assert_eq!(all, Geometry { shape: Shape { grid: 1056, block: 256, shared: 0 }, lanes: 32, service_blocks: 0 });
        let fewer = Geometry::choose(&LaunchRequest { resident: 132 * 4, ..request() });
        assert_eq!(fewer.shape.grid, 528);
    }

    #[test]
    fn few_elements_mean_few_threads_in_many_warps() {
        let few = Geometry::choose(&LaunchRequest { contention: Some(500), ..request() });
        assert_eq!((few.threads(), few.lanes), (504, 1));
        let one = Geometry::choose(&LaunchRequest { contention: Some(0), ..request() });
        assert_eq!(one.threads(), 32);
    }

    #[test]
    fn a_small_batch_has_no_idle_threads() {
        assert_eq!(Geometry::choose(&LaunchRequest { transactions: 100, ..request() }).threads(), 56);
        assert_eq!(Geometry::choose(&LaunchRequest { transactions: 1, ..request() }).threads(), 1);
    }

    #[test]
    fn what_the_user_says_holds() {
        let said = LaunchRequest { threads: Some(1000), lanes: Some(8), ..request() };
        assert_eq!(Geometry::choose(&said).threads(), 1024);
        let too_many = LaunchRequest { threads: Some(1 << 40), ..request() };
        assert_eq!(Geometry::choose(&too_many).threads(), 132 * 2048);
        let odd = LaunchRequest { threads: Some(3), lanes: Some(32), ..request() };
        assert_eq!(Geometry::choose(&odd).threads(), 3);
    }

    #[test]
    fn an_engine_for_one_thread_gets_one() {
        let serial = LaunchRequest { threads: Some(4096), lanes: Some(32), ..mapped(ThreadMapping::One) };
        let one = Geometry::choose(&serial);
        assert_eq!((one.threads(), one.shape, one.lanes), (1, Shape { grid: 1, block: 32, shared: 0 }, 1));
    }

    #[test]
    fn an_engine_for_one_thread_a_block_gets_one() {
        let asked = LaunchRequest { threads: Some(100), ..mapped(ThreadMapping::OnePerBlock) };
        let blocks = Geometry::choose(&asked);
        assert_eq!((blocks.threads(), blocks.shape, blocks.lanes), (100, Shape { grid: 100, block: 32, shared: 0 }, 1));
        let many = Geometry::choose(&LaunchRequest { threads: None, ..asked });
        assert_eq!(many.threads(), u64::from(asked.resident));
    }

    #[test]
    fn an_engine_has_its_usual_threads_unless_the_user_says() {
        let stage = Stage { usual_threads: Some(2048), ..Stage::EXECUTE };
        let usual = LaunchRequest { stage, ..request() };
        assert_eq!(Geometry::choose(&usual).threads(), 2048);
        assert_eq!(Geometry::choose(&LaunchRequest { threads: Some(8192), ..usual }).threads(), 8192);
    }

    #[test]
    fn groups_of_transactions_have_blocks_that_fit_them() {
        let groups = |transactions, groups| {
            Geometry::choose(&LaunchRequest { transactions, groups: Some(groups), shared: 64, ..request() }).shape
        };
        assert_eq!(groups(1 << 20, 100), Shape { grid: 100, block: 256, shared: 64 });
        assert_eq!(groups(1 << 20, 1 << 14), Shape { grid: 1056, block: 32, shared: 64 });
        assert_eq!(groups(10, 10), Shape { grid: 10, block: 32, shared: 64 });
        let said = LaunchRequest { threads: Some(128), groups: Some(3), ..request() };
        assert_eq!(Geometry::choose(&said).threads(), 128);
        assert_eq!(Geometry::choose(&LaunchRequest { threads: Some(1), ..said }).threads(), 1);
        assert_eq!(Geometry::choose(&LaunchRequest { threads: Some(1 << 20), ..said }).shape.grid, 3);
        let one_lane = Geometry::choose(&LaunchRequest { lanes: Some(1), ..said });
        assert_eq!((one_lane.lanes, one_lane.shape.block % 32), (1, 0));
    }

    #[test]
    fn service_takes_blocks_that_the_device_holds() {
        let stage = Stage { service_blocks: 1, ..Stage::EXECUTE };
        let served = Geometry::choose(&LaunchRequest { stage, ..request() });
        assert_eq!((served.shape.grid, served.launched().grid), (1055, 1056));
        assert_eq!(served.halved().service_blocks, 1);
    }

    #[test]
    fn an_engine_is_never_given_more_threads_than_it_can_number() {
        for most in [1000, 5000, 1 << 16] {
            for lanes in [None, Some(1), Some(32)] {
                let got = Geometry::choose(&LaunchRequest { max_threads: Some(most), lanes, ..request() });
                assert!(got.threads() <= most, "{got} of {most}");
                assert!(lanes == Some(1) || got.threads() > most / 2, "{got} of {most}");
            }
        }
    }

    #[test]
    fn shapes_are_whole_warps_within_every_bound() {
        for threads in 1..3000 {
            for lanes in [None, Some(1), Some(8), Some(32)] {
                for resident in [1, 3, 64] {
                    let request = LaunchRequest { threads: Some(threads), lanes, resident, ..request() };
                    let got = Geometry::choose(&request);
                    assert!(
                        got.threads() >= 1 && got.shape.block.is_multiple_of(32) && got.shape.block <= 256,
                        "{got}"
                    );
                    assert!(got.shape.threads() <= u64::from(resident) * 256, "{got} of {resident}");
                }
            }
        }
    }

    #[test]
    fn halving_ends_at_one_thread() {
        let mut geometry = Geometry::choose(&request());
        for _ in 0..64 {
            let halved = geometry.halved();
            assert!(halved.threads() <= geometry.threads() && halved.threads() * 4 >= geometry.threads());
            geometry = halved;
        }
        assert_eq!(geometry.threads(), 1);
    }
}
