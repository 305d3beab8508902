//! The launches on a chunk that execute its transactions, in slices.

use std::time::Duration;

use kernels_gen::abi::{counters::Counter, launch::Launch};
use kernels_gen::device::{Work, turns};

use super::coming::Coming;
use super::contention::{ContentionControl, Learned};
use super::geometry::{Geometry, LaunchRequest};
use super::remembered;
use super::run::{Bounds, End, Run, SLICE};
use super::run_state::{Counts, Visited};
use super::window::Window;
use crate::error::GpuError;
use crate::gpu::backend::{DeviceBuffer, KernelCall, Shape, Started};
use crate::gpu::memory::bytes::phase_count;
use crate::gpu::memory::chunks::Placed;
use crate::gpu::memory::lines::Lines;
use crate::gpu::memory::partitions::Groups;
use crate::gpu::memory::profile::Profile;

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
/// The time of launches up to which one of them is enough in any run.
const LOOKED: Duration = Duration::from_micros(250);
/// The part of the time which the rest has to take for a change of place that the first launch takes.
const LOOK: u32 = 4;

/// Returns whether only a few transactions are left, and scanning the finished ones takes long.
fn are_few(left: u64, transactions: u64, geometry: Geometry) -> bool {
    left > 0 && left * FEW < transactions && transactions > LONG_WALK * geometry.threads()
}

/// The bounds of a launch. `made` is the number of earlier passes.
#[derive(Debug, Clone, Copy)]
struct Budget {
    /// Whether transactions that wait are not executed.
    skips_waiting: bool,
    window: Window,
    time: Duration,
    made: u64,
    /// Whether each transaction has a single attempt.
    once: bool,
}

impl Run<'_, '_> {
    /// Launches until the chunk is done, makes no more progress, or reaches a limit.
    fn launches(
        &mut self,
        (transactions, groups): (u64, Groups),
        mut coming: Coming<'_>,
        bounds: Bounds,
        visited: Visited,
        details: &mut bool,
    ) -> Result<End, GpuError> {
        let mut contention = self.contention(transactions, bounds);
        // A rate is known after the first launch, and more than that is not lost at a place that is too slow.
        let look = FIRST_LOOK.max(self.exit.worth / LOOK).min(SLICE);
        let (mut slice, mut made) = (if self.exit.floor > 0.0 { look } else { SLICE }, bounds.passes);
        let begun = transactions - visited.finished;
        let (mut left, mut tries, mut fresh) = (begun, 0, !visited.has_statuses);
        let (mut window, mut skips_waiting) = (Window::all(transactions), false);
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
            let budget = Budget { skips_waiting, window, time, made, once: false };
            let counts = self.launch(geometry, (transactions, groups), coming.take(), fresh, budget)?;
            let (finished, launched) = (counts.finished(), window);
            fresh = false;
            // While nothing is finished, no guard changes. Only what could not be attempted can go on.
            let is_seen = launched.is_all() && counts.left_unvisited() == 0;
            skips_waiting = finished == 0 && (skips_waiting || is_seen);
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
                if contention.rate().is_some_and(|rate| self.is_too_slow(rate, left, (begun, transactions))) {
                    return Ok(self.leave(bounds));
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

    /// Returns the control of the launches on a chunk.
    fn contention(&self, transactions: u64, bounds: Bounds) -> ContentionControl {
        let control = ContentionControl::new(self.bounded_request(), self.geometry, self.is_fixed(bounds));
        let is_long = self.is_all(transactions, bounds) && !self.buffers.is_small(self.request.limits);
        if is_long { control.expecting(remembered::time(self.run_state.job)) } else { control }
    }

    /// Launches as [`Run::launches`], and remembers how long that took for all of the batch.
    pub(super) fn launches_timed(
        &mut self,
        chunk: (u64, Groups),
        coming: Coming<'_>,
        bounds: Bounds,
        visited: Visited,
        details: &mut bool,
    ) -> Result<End, GpuError> {
        let (before, geometry) = (self.kernel, self.geometry);
        let end = self.launches(chunk, coming, bounds, visited, details)?;
        let took = self.kernel - before;
        if took > LOOKED && self.is_all(chunk.0, bounds) {
            let is_whole = matches!(end, End::Done | End::Stuck) && self.geometry == geometry;
            remembered::note_time(self.run_state.job, if is_whole { took } else { Duration::ZERO });
        }
        Ok(end)
    }

    /// Executes each transaction that the stages before have left of a chunk once, before the others have turns. Most may have no conflict, even
    /// where some elements are hot.
    pub(super) fn try_rest(&mut self, chunk: (u64, Groups), visited: Visited) -> Result<Visited, GpuError> {
        if visited.finished == chunk.0 || self.run_state.must_end().is_some() {
            return Ok(visited);
        }
        let (time, window) = (self.run_state.within_limit(SLICE), Window::all(chunk.0));
        let budget = Budget { skips_waiting: false, window, time, made: 0, once: true };
        let counts = self.launch(self.geometry, chunk, Coming::There, !visited.has_statuses, budget)?;
        self.run_state.add(&counts, 1);
        let has_details = visited.has_details || counts.details() > 0;
        Ok(Visited { finished: visited.finished + counts.finished(), has_statuses: true, has_details })
    }

    /// Returns whether a chunk is all of the batch, for the first time.
    fn is_all(&self, transactions: u64, bounds: Bounds) -> bool {
        bounds.is_first && transactions == self.run_state.job.transactions as u64
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
        let waiting = counts.get(Counter::LeftPostponed);
        if counts.left_unvisited() > 0 && waiting > counts.left_by_conflicts() {
            // Most of them wait. Those that conflict get a launch of their own, once all others have been seen.
            contention.look_longer();
        } else if counts.left_by_conflicts() > 0 {
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

    /// Returns how a chunk ends for which only the visits were asked for, if they have left something: they took that time.
    pub(super) fn after_visits(&mut self, (all, finished): (u64, u64), took: Duration) -> Option<End> {
        if self.exit.after_visits.is_none_or(|fewest| all.saturating_sub(finished) < fewest) {
            return None;
        }
        self.exit.left_at.get_or_insert(0.0);
        let is_slow = (finished as f64) < self.exit.floor * took.as_secs_f64();
        Some(if is_slow { End::Slow } else { End::Visited })
    }

    /// Returns how a chunk ends where the execution is too slow: what the stages before it can do of later chunks, they still do.
    fn leave(&mut self, bounds: Bounds) -> End {
        self.exit.after_visits = (bounds.is_first && self.engine.finishes_in_visits()).then_some(1);
        if self.exit.after_visits.is_some() { End::Visited } else { End::Slow }
    }

    /// Returns whether the run is to be left, and stores its rate then. The last ones of a chunk, or of the transactions with which the
    /// launches have begun, are not worth a change: most of them wait, and that is slow at any place.
    fn is_too_slow(&mut self, rate: f64, left: u64, (begun, transactions): (u64, u64)) -> bool {
        let are_many = 2 * left >= begun && FEW * left >= transactions;
        let is_worth = are_many && left as f64 > rate * self.exit.worth.as_secs_f64();
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

    /// Launches the execution once, and returns its counters.
    fn launch(
        &mut self,
        geometry: Geometry,
        chunk: (u64, Groups),
        coming: Coming<'_>,
        fresh: bool,
        Budget { skips_waiting, window, time, made, once }: Budget,
    ) -> Result<Counts, GpuError> {
        let allowed = self.run_state.job.options.pass_limit.map_or(PASSES, |limit| limit.saturating_sub(made));
        let entry = self.engine.execution().entry;
        let blocks = (geometry.launched(), geometry.threads_of_block());
        let place = self.threads.place(&*self.loaded.program, entry, blocks, self.request.limits)?;
        let parameters = Launch {
            passes: if window.is_all() && !once { PASSES } else { 1 }.min(allowed),
            attempts: if once { 1 } else { ATTEMPTS },
            threads: place.address,
            thread_granules: place.granules,
            skips_waiting: u64::from(skips_waiting),
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
        span!("launch", entry, threads = shape.threads());
        let copied = self.copied(parameters);
        let call = KernelCall { entry, shape, parameters: &words, copied: &copied };
        let launched = self.buffers.launch(&*self.loaded.program, call, along, limits);
        self.flush_lines(launched).map(|(took, counts)| {
            self.own.iter().for_each(DeviceBuffer::settle_with_kernel);
            self.sums.settle_with_kernel();
            self.add_kernel(took);
            counts
        })
    }

    /// Returns the parameters of a launch on a chunk.
    pub(super) fn parameters(
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
            skips_waiting: 0,
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
            profile: self.profile.as_ref().map_or(0, Profile::address),
            log,
            log_stride: self.buffers.log_stride as u64,
            run: self.own.as_ref().map_or(0, DeviceBuffer::address),
            threads: 0,
            thread_granules: 0,
            chunk: self.buffers.own_address(),
            sums: self.sums.address(),
            in_block: self.in_block(geometry),
            groups: groups.count,
            starts: groups.starts,
            parts: groups.parts,
            lines: self.lines.as_ref().map_or(0, Lines::address),
            picked: self.buffers.picked_address(),
            routes: self.routes_address(),
            columns: self.buffers.column_addresses(),
            arrays: self.addresses.clone(),
            far: self.far.address(),
        }
    }

    /// Returns what each block of a launch has memory for.
    fn in_block(&self, geometry: Geometry) -> u64 {
        match geometry.shape.shared {
            0 => 0,
            _ => match self.engine.takes_turns() {
                Some(Work::Turns(..)) => turns::of_block(self.request.limits.shared, self.loaded.outline.listings).0,
                _ => self.sums.elements(),
            },
        }
    }

    /// Runs a kernel to its end, and adds its time.
    pub(super) fn start(
        &mut self,
        entry: &'static str,
        geometry: Geometry,
        parameters: &Launch,
    ) -> Result<(), GpuError> {
        self.run_state.launches += 1;
        span!("launch", entry, threads = geometry.launched().threads());
        let (words, copied) = (parameters.words(), self.copied(parameters));
        let call = KernelCall { entry, shape: geometry.launched(), parameters: &words, copied: &copied };
        let took = self.flush_lines(self.loaded.program.start(call).and_then(Started::wait))?;
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
