//! The launches on a chunk: those that scan its transactions, and those that execute them, in slices.

use std::time::Duration;

use kernels_gen::abi::{counters::Counter, launch::Launch};
use kernels_gen::device::{Stage, Visited as Visit, Work};

use super::climb::Climb;
use super::coming::Coming;
use super::contention::{ContentionControl, Learned};
use super::geometry::{Geometry, LaunchRequest};
use super::run::{Bounds, End, Run, SLICE, phase_count};
use super::run_state::{Counts, Visited};
use super::slices::Slices;
use super::window::Window;
use crate::backend::{CompiledProcedure, Order};
use crate::error::GpuError;
use crate::gpu::backend::{DeviceBuffer, KernelCall, Shape};
use crate::gpu::memory::chunks::Placed;
use crate::gpu::memory::lines::Lines;
use crate::gpu::memory::partitions::Groups;

/// The most passes of a thread over its transactions within one launch.
const PASSES: u64 = 64;
/// The most attempts at one transaction before a thread turns to its next.
const ATTEMPTS: u64 = 64;
/// Transactions of each thread from which scanning the finished ones in each launch takes long.
const LONG_WALK: u64 = 1 << 12;
/// Fewer pending transactions than one in this number count as few.
const FEW: u64 = 8;
/// The number of one-thread launches that end in conflicts before the run fails: a lock left behind is then the only cause.
const LAST_TRIES: u32 = 3;

/// The duration of the first launch where the run may be left.
const FIRST_LOOK: Duration = if cfg!(test) { Duration::from_micros(100) } else { Duration::from_millis(1) };
/// The time that the rest of a batch has to take at least for a change of place.
const WORTH_LEAVING: Duration = Duration::from_millis(1);

/// The transactions of each thread in the first launch of a stage that visits transactions. Nothing is known about their length yet.
const FIRST_VISITS: u64 = 4;
/// The same in push order, where each may wait for the one before it.
const FIRST_TURNS: u64 = 1 << 10;
/// The same while the number of threads is measured.
const CLIMBS: u64 = 8;
/// The time of a launch from which its rate counts.
const LONG_TURNS: Duration = Duration::from_millis(2);
/// How much longer the next launch may be, where the last one was short.
const GROWTH: u32 = 32;

/// Returns how many transactions a stage visits in its next launch, if the last one visited `piece` of them in that time: at least one
/// for each thread, since fewer take as long.
fn next_piece(piece: u64, threads: u64, took: Duration) -> u64 {
    match took {
        short if short * GROWTH <= SLICE => piece.saturating_mul(GROWTH.into()),
        long if long > SLICE => (piece / 2).max(threads),
        _ => piece,
    }
}

/// Returns whether only a few transactions are left, and scanning the finished ones takes long.
fn are_few(left: u64, transactions: u64, geometry: Geometry) -> bool {
    left > 0 && left * FEW < transactions && transactions > LONG_WALK * geometry.threads()
}

/// The bounds of a launch. `made` is the number of earlier passes.
#[derive(Debug, Clone, Copy)]
struct Budget {
    window: Window,
    time: Duration,
    made: u64,
}

impl Run<'_, '_> {
    /// Launches until the chunk is done, makes no more progress, or reaches a limit.
    pub(super) fn launches(
        &mut self,
        (transactions, groups): (u64, Groups),
        mut coming: Coming<'_>,
        bounds: Bounds,
        visited: Visited,
        details: &mut bool,
    ) -> Result<End, GpuError> {
        let mut contention = ContentionControl::new(self.bounded_request(), self.geometry, self.is_fixed(bounds));
        // A rate is known after the first launch, and more than that is not lost at a place that is too slow.
        let (mut slice, mut made) = (if self.exit.floor > 0.0 { FIRST_LOOK } else { SLICE }, bounds.passes);
        let (mut left, mut tries, mut fresh) = (transactions - visited.finished, 0, !visited.has_statuses);
        let mut window = Window::all(transactions);
        let (start, most) = (self.kernel, bounds.kernel.unwrap_or(Duration::MAX));
        while left > 0 {
            if let Some(why) = self.run_state.limit_reached(made) {
                return Ok(End::Limit(why));
            }
            let rest = most.saturating_sub(self.kernel - start);
            if rest.is_zero() {
                return Ok(End::Overdue);
            }
            let time = self.run_state.within_limit(contention.slice(slice)).min(rest);
            let (before, geometry) = (self.kernel, contention.geometry());
            let budget = Budget { window, time, made };
            let counts = self.launch(geometry, (transactions, groups), coming.take(), fresh, budget)?;
            let (finished, launched) = (counts.finished(), window);
            fresh = false;
            window = if groups.count == 0 { window.after(&counts) } else { window };
            left = left.saturating_sub(finished);
            made = mutant!("run loop: each launch has passes of its own", made, bounds.passes)
                + counts.get(Counter::Passes);
            self.run_state.add(&counts, made);
            *details |= counts.details() > 0;
            if finished > 0 {
                (tries, slice) = (0, SLICE);
                contention.learn(Learned::of(&counts, self.kernel - before, left));
                self.thin_out(contention.best());
                if contention.rate().is_some_and(|rate| self.is_too_slow(rate, left, transactions)) {
                    return Ok(End::Slow);
                }
                if bounds.kernel.is_none() && are_few(left, transactions, geometry) {
                    return Ok(End::Few);
                }
            } else if let Some(end) = self.after_nothing(&counts, launched, left, &mut contention, &mut tries)? {
                return Ok(end);
            } else if counts.left_by_conflicts() == 0 && counts.left_unvisited() > 0 {
                slice = slice.saturating_mul(2);
            }
        }
        Ok(End::Done)
    }

    /// Takes the results of a launch that finished nothing. Returns how the chunk ends, if it does.
    fn after_nothing(
        &self,
        counts: &Counts,
        launched: Window,
        left: u64,
        contention: &mut ContentionControl,
        tries: &mut u32,
    ) -> Result<Option<End>, GpuError> {
        if counts.left_by_conflicts() > 0 {
            // All attempts ended in conflicts: use fewer threads.
            *tries += u32::from(contention.geometry().threads() == 1);
            if *tries == LAST_TRIES {
                return Err(GpuError::NoProgress { engine: self.engine.name, transactions: left });
            }
            contention.halve();
        } else if counts.left_unvisited() > 0 {
            // The time was too short to execute every transaction even once.
            contention.look_longer();
        } else if left > 0 && launched.is_all() {
            return Ok(Some(End::Stuck));
        }
        Ok(None)
    }

    /// Returns whether the number of threads stays as it is. A chunk of a trial measures this very shape; and where passes are counted, a
    /// short launch would count as one.
    fn is_fixed(&self, bounds: Bounds) -> bool {
        let is_asked = self.request.threads.is_some() || self.request.lanes.is_some();
        is_asked || bounds.kernel.is_some() || self.run_state.job.options.pass_limit.is_some()
    }

    /// Returns whether only the visits were asked for.
    pub(crate) fn has_visited_enough(&mut self, left: u64) -> bool {
        let is_enough = left > 0 && self.exit.floor.is_infinite();
        if is_enough {
            self.exit.left_at = Some(0.0);
        }
        is_enough
    }

    /// Returns whether the run is to be left, and stores its rate then. The last transactions of a batch are not worth a change: most of
    /// them wait, and that is slow at any place.
    fn is_too_slow(&mut self, rate: f64, left: u64, transactions: u64) -> bool {
        let is_worth = 2 * left >= transactions && left as f64 > rate * WORTH_LEAVING.as_secs_f64();
        let is_slow = rate < self.exit.floor && is_worth;
        if is_slow {
            self.exit.left_at = Some(rate);
        }
        is_slow
    }

    /// Returns the request for later launches: the engine's memory for the run has room for the threads of the first one.
    fn bounded_request(&self) -> LaunchRequest {
        let threads = self.own.is_some().then(|| self.geometry.threads());
        LaunchRequest { max_threads: threads.or(self.request.max_threads), ..self.request }
    }

    /// Launches the stages that visit transactions of a chunk before they are executed.
    pub(crate) fn visit(&mut self, chunk: (u64, Groups)) -> Result<Visited, GpuError> {
        if self.visits.is_empty() || self.run_state.limit_reached(0).is_some() {
            return Ok(Visited::NOTHING);
        }
        let finishes = self.engine.finishes_in_visits();
        // Such a stage executes transactions, and the passes would execute them once more than the limit says.
        if finishes && self.run_state.job.options.pass_limit.is_some() {
            return Ok(Visited::NOTHING);
        }
        if !finishes {
            self.start_visits(chunk)?;
            return Ok(Visited::NOTHING);
        }
        self.buffers.zero_counters()?;
        self.start_visits(chunk)?;
        let mut counts = self.visited()?;
        // The host numbers the versions of a checked run as if all transactions of any order had been tested together.
        let is_any_order = self.engine.last_visited() == Some(Visit::AnyOrder);
        if is_any_order && self.sums.elements() > 0 && !self.run_state.job.options.check {
            counts = self.slices(chunk, counts)?;
        }
        self.run_state.add(&counts, 1);
        Ok(Visited { finished: counts.finished(), has_statuses: true })
    }

    /// Returns what the stages before the execution have counted.
    pub(super) fn visited(&self) -> Result<Counts, GpuError> {
        let mut counts = self.buffers.download_counters()?;
        counts.truncate(Counter::COUNT);
        Ok(Counts(counts))
    }

    /// Tests those transactions of any order that are left in slices, as long as that brings something.
    fn slices(&mut self, chunk: (u64, Groups), mut counts: Counts) -> Result<Counts, GpuError> {
        let mut slices = Slices::after_all(chunk.0, chunk.0 - counts.finished(), self.sums.elements());
        while let Some(slice) = slices.next().filter(|_| self.run_state.must_end().is_none()) {
            self.sums.zero()?;
            for (stage, geometry) in self.visits.clone() {
                let geometry = match stage.work {
                    Work::Visit(Visit::AnyOrder, _) => self.of_slice(geometry, slice.end - slice.start),
                    Work::Settle(_) => geometry,
                    Work::Visit(..) | Work::Once(..) | Work::Execute => continue,
                };
                let parameters = self.parameters(geometry, chunk, false, SLICE);
                let parameters = Launch { first: slice.start, end: slice.end, ..parameters };
                self.start(stage.entry, geometry, &parameters)?;
            }
            let now = self.visited()?;
            slices.learn(&slice, now.finished() - counts.finished());
            counts = now;
        }
        Ok(counts)
    }

    /// Returns the shape for a stage on that many transactions: without copies in blocks, where these do not save additions.
    fn of_slice(&self, geometry: Geometry, transactions: u64) -> Geometry {
        let is_worth = self.sums.is_worth(u64::from(geometry.shape.grid), transactions);
        if is_worth { geometry } else { geometry.without_shared() }
    }

    /// Launches these stages. In push order, returns false before elements change if some transactions cannot run in turn, or the host
    /// is faster.
    pub(super) fn start_visits(&mut self, chunk: (u64, Groups)) -> Result<bool, GpuError> {
        let is_pushed = self.run_state.job.options.order == Order::Pushed;
        self.sums.zero()?;
        for (stage, geometry) in self.visits.clone() {
            match stage.work {
                Work::Execute => {}
                Work::Visit(..) => {
                    let is_slow = self.start_visit(stage, geometry, chunk)?;
                    if is_pushed && (is_slow || self.visited()?.left_by_conflicts() > 0) {
                        return Ok(false);
                    }
                }
                Work::Once(..) | Work::Settle(_) => {
                    // A run that ends early has committed some transactions, too.
                    let parameters = self.parameters(geometry, chunk, true, SLICE);
                    self.start(stage.entry, geometry, &parameters)?;
                }
            }
        }
        Ok(true)
    }

    /// Launches a stage on one piece of the chunk after the other, and looks at the limits of the run in between. Ends in push order after
    /// a piece that is slower than the floor, and returns true.
    fn start_visit(&mut self, stage: &Stage, all: Geometry, chunk: (u64, Groups)) -> Result<bool, GpuError> {
        let is_pushed = self.run_state.job.options.order == Order::Pushed;
        let mut climb = self.climb(stage, all);
        let mut geometry = climb.map_or(all, |climb| self.shape_of(stage, all, climb.threads()));
        let (mut first, mut piece) = (0, if is_pushed { FIRST_TURNS } else { FIRST_VISITS * geometry.threads() });
        while first < chunk.0 && self.run_state.must_end().is_none() {
            let end = chunk.0.min(first.saturating_add(piece));
            let parameters = Launch { first, end, ..self.parameters(geometry, chunk, true, SLICE) };
            let before = self.kernel;
            self.start(stage.entry, geometry, &parameters)?;
            let took = self.kernel - before;
            let rate = (end - first) as f64 / took.as_secs_f64().max(1e-9);
            if is_pushed && took > LONG_TURNS && rate < self.exit.floor {
                return Ok(true);
            }
            (first, piece) = (end, next_piece(piece, geometry.threads(), took));
            if let Some(climb) = climb.as_mut().filter(|climb| climb.measures()) {
                if end - parameters.first >= geometry.threads() {
                    climb.learn(rate);
                    geometry = self.shape_of(stage, all, climb.threads());
                }
                piece = CLIMBS * geometry.threads();
            }
        }
        Ok(false)
    }

    /// Returns a search for the number of threads of a stage, if its transactions wait for earlier ones, and the user has set none.
    fn climb(&self, stage: &Stage, all: Geometry) -> Option<Climb> {
        let waits = |procedure: &CompiledProcedure| {
            Visit::Foreseen.may_contain(procedure.spec) && !procedure.spec.facts.flow.foresight.outcome
        };
        let is_meant = stage.finishes && matches!(stage.work, Work::Visit(Visit::Foreseen, _));
        let is_open = self.request.threads.is_none() && self.run_state.job.procedures.iter().any(waits);
        (is_meant && is_open).then(|| Climb::new(all.threads(), self.request.contention))
    }

    /// Returns the shape of that many threads for a stage that has this one with all.
    fn shape_of(&self, stage: &Stage, all: Geometry, threads: u64) -> Geometry {
        let (resident, threads) = (all.shape.grid, Some(threads));
        let request = LaunchRequest {
            threads,
            max_threads: None,
            stage: *stage,
            resident,
            groups: None,
            shared: 0,
            contention: None,
            ..self.request
        };
        Geometry::choose(&request)
    }

    /// Launches the execution once, and returns its counters.
    fn launch(
        &mut self,
        geometry: Geometry,
        chunk: (u64, Groups),
        coming: Coming<'_>,
        fresh: bool,
        Budget { window, time, made }: Budget,
    ) -> Result<Counts, GpuError> {
        let allowed = self.run_state.job.options.pass_limit.map_or(PASSES, |limit| limit.saturating_sub(made));
        let entry = self.engine.execution().entry;
        let blocks = (geometry.launched(), geometry.threads_of_block());
        let place = self.threads.place(&*self.loaded.program, entry, blocks, self.request.limits)?;
        let parameters = Launch {
            passes: if window.is_all() { PASSES } else { 1 }.min(allowed),
            threads: place.address,
            thread_granules: place.granules,
            first: window.first,
            end: window.end,
            ..self.parameters(geometry, chunk, fresh, time)
        };
        let shape = geometry.with_shared(place.shared).launched();
        let mut counts = match coming {
            Coming::There => self.exchange(shape, &parameters, None)?,
            Coming::Along(placed) => self.exchange(shape, &parameters, Some(placed))?,
        };
        if phase_count(self.run_state.job) > 0 {
            let sums = self.run_state.output.phases.get_or_insert_default();
            sums.add(&self.engine, &counts.split_off(Counter::COUNT));
        }
        Ok(Counts(counts))
    }

    /// Launches the execution with zeroed counters, and with the transactions if they have to come along. Returns the counters.
    fn exchange(
        &mut self,
        shape: Shape,
        parameters: &Launch,
        along: Option<&[Placed<'_>]>,
    ) -> Result<Vec<u64>, GpuError> {
        let (entry, limits, words) = (self.engine.execution().entry, self.request.limits, parameters.words());
        self.run_state.launches += 1;
        let call = KernelCall { entry, shape, parameters: &words };
        let launched = self.buffers.launch(&*self.loaded.program, call, along, limits);
        self.flush_lines(launched).map(|(took, counts)| {
            self.add_kernel(took);
            counts
        })
    }

    /// Returns the parameters of a launch on a chunk.
    fn parameters(
        &self,
        geometry: Geometry,
        (transactions, groups): (u64, Groups),
        fresh: bool,
        slice: Duration,
    ) -> Launch {
        let options = self.run_state.job.options;
        let [status, detail, results, specializations, log] = self.buffers.addresses();
        Launch {
            transactions,
            first: 0,
            end: transactions,
            fresh: u64::from(mutant!("run loop: each launch begins anew", fresh, true)),
            lanes: u64::from(geometry.lanes),
            passes: PASSES,
            attempts: ATTEMPTS,
            budget_ns: slice.as_nanos().try_into().unwrap_or(u64::MAX),
            seed: options.seed.wrapping_add(self.run_state.launches),
            status,
            detail,
            results,
            specializations,
            counters: self.buffers.counters_address(),
            locations: self.locations.as_ref().map_or(0, DeviceBuffer::address),
            log,
            log_stride: self.buffers.log_stride as u64,
            run: self.own.as_ref().map_or(0, DeviceBuffer::address),
            threads: 0,
            thread_granules: 0,
            chunk: self.buffers.own_address(),
            sums: self.sums.address(),
            copied: if geometry.shape.shared > 0 { self.sums.elements() } else { 0 },
            groups: groups.count,
            starts: groups.starts,
            parts: groups.parts,
            lines: self.lines.as_ref().map_or(0, Lines::address),
            columns: self.buffers.column_addresses(),
            arrays: self.addresses.clone(),
            far: self.far.address(),
        }
    }

    /// Runs a kernel to its end, and adds its time.
    fn start(&mut self, entry: &'static str, geometry: Geometry, parameters: &Launch) -> Result<(), GpuError> {
        self.run_state.launches += 1;
        let took = self.loaded.program.launch(entry, geometry.launched(), &parameters.words());
        let took = self.flush_lines(took)?;
        self.add_kernel(took);
        Ok(())
    }

    /// Prints the lines of a launch. After a failed one, they help if the device can still be read.
    fn flush_lines<T>(&self, launched: Result<T, GpuError>) -> Result<T, GpuError> {
        let printed = self.lines.as_ref().map_or(Ok(()), |lines| lines.flush(self.run_state.job));
        let launched = launched?;
        printed.map(|()| launched)
    }

    pub(super) fn add_kernel(&mut self, took: Duration) {
        self.kernel += took;
        self.run_state.output.times.kernel += took;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_grow_while_they_are_short_and_have_a_transaction_for_each_thread() {
        assert_eq!(next_piece(400, 100, SLICE / GROWTH), 400 * u64::from(GROWTH));
        assert_eq!(next_piece(u64::MAX, 100, Duration::ZERO), u64::MAX);
        assert_eq!([SLICE / 2, SLICE].map(|took| next_piece(400, 100, took)), [400; 2]);
        assert_eq!([400, 150].map(|piece| next_piece(piece, 100, 2 * SLICE)), [200, 100]);
    }
}
