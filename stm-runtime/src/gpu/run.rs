//! Runs a table on a device.
//!
//! The kernel works in slices: each launch ends after a bounded time, whatever the transactions do, and the host looks at the
//! counters, tells the progress, heeds limits, and launches again. The end of a launch is the moment at which everybody's
//! progress is known, so that is where an end without progress is found.

use std::ops::Range;
use std::sync::Arc;
use std::time::{Duration, Instant};

use kernels_gen::device::launch::{Counter, Launch, RegionAddress};
use kernels_gen::device::phases::Phase;
use kernels_gen::device::{Effort, EngineSpec, Tuned};

use super::GpuDevice;
use super::backend::{Backend, Buffer, Code, HostSliceMut, Loaded};
use super::capacity::{self, piece_rows, require, require_scratch};
use super::crowd::Crowd;
use super::error::GpuError;
use super::geometry::{self, Geometry, Wish};
use super::homes::{self, Groups, Homes, Order};
use super::ledger::{Counts, Ledger, is_finished};
use super::lines::Lines;
use super::pieces::{PieceBuffers, RowBytes, Rows};
use super::plan::Plan;
use super::region::GpuRegion;
use super::trial::{self, Tried};
use super::unit;
use crate::error::Error;
use crate::job::{Job, RunOutput};
use crate::memory::{self, NoMemory};
use crate::proof::History;
use crate::report::{Memory, Why};

/// Passes that a thread may make over its run within one launch.
const PASSES: u64 = 64;
/// Attempts at one row before a thread turns to its next.
const ATTEMPTS: u64 = 64;
/// How long a launch may take before the host looks at the limits again.
pub(super) const SLICE: Duration = Duration::from_millis(100);
/// Rows a thread from which it takes long to walk over the finished ones in each launch.
const LONG_WALK: u64 = 1 << 12;
/// One row in so many is a few.
const FEW: u64 = 8;
/// Launches with one thread that end in conflicts: then nothing but a lock left behind can be the cause.
const LAST_TRIES: u32 = 3;

/// Runs a table. The caller holds the regions.
pub(crate) fn run(device: &GpuDevice, job: &Job<'_>) -> Result<RunOutput, Error> {
    let mut ledger = Ledger::new(job)?;
    match work(device, &mut ledger) {
        Ok(()) => Ok(ledger.output),
        Err(error) => {
            regions(job).iter().for_each(|region| region.distrust());
            Err(error.into())
        }
    }
}

/// Compiles what a run needs, as far as it is known before it.
pub(crate) fn compile(device: &GpuDevice, job: &Job<'_>) -> Result<(), Error> {
    let plan = Plan::unmeasured(job);
    let engine = plan.engine.tuned();
    refuse(&engine, &plan, job)?;
    let specs: Vec<_> = regions(job).iter().map(|region| region.spec(plan.terms(job))).collect();
    unit::with_unit_of_job(job, engine, &specs, |unit| device.backend().load(Code::Unit(unit)))?;
    Ok(())
}

/// Settles how the table is run, if need be by a trial on its first rows, and runs the rest.
fn work(device: &GpuDevice, ledger: &mut Ledger<'_>) -> Result<(), GpuError> {
    let Tried { choice, plan, rows, ended } = trial::settle(device, ledger)?;
    ledger.output.choice = choice;
    ledger.output.engine = plan.engine.to_string();
    if let Some(why) = ended {
        ledger.output.why_left = why;
        return Ok(());
    }
    let wanted = ledger.job.rows;
    let mut run = Run::prepare(device, ledger, plan, wanted)?;
    run.describe();
    run.work(rows)?;
    run.collect_sites()
}

/// The regions of a job on its device.
fn regions<'a>(job: &Job<'a>) -> Vec<&'a GpuRegion> {
    job.regions.iter().map(|region| region.gpu().expect("regions of a device's table are on it")).collect()
}

/// One engine with one shape of launches at work on a table, or on a piece of it.
pub(super) struct Run<'l, 'a> {
    pub(super) ledger: &'l mut Ledger<'a>,
    engine: Tuned,
    addresses: Vec<RegionAddress>,
    loaded: Loaded,
    /// What the shape was chosen by.
    pub(super) wish: Wish,
    pub(super) geometry: Geometry,
    buffers: PieceBuffers,
    counters: Buffer,
    sites: Option<Buffer>,
    /// What transactions print.
    lines: Option<Lines>,
    /// What the engine keeps for the run.
    own: Option<Buffer>,
    /// The groups of rows, for an engine that wants them by part.
    homes: Option<Homes>,
    memory: Memory,
    /// Time of its kernels.
    pub(super) kernel: Duration,
}

/// How the work on a piece ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    /// Every row is finished.
    Done,
    /// Nothing that is left in the piece can move.
    Stuck,
    /// A few are left between many that are finished: they go on in a piece of their own.
    Few,
    /// A limit was reached, or the user stops.
    Limit(Why),
    /// It took too long for a piece that others can do.
    Overdue,
}

/// What a piece may take.
#[derive(Debug, Clone, Copy)]
struct Bounds {
    /// Passes that its rows have seen before.
    passes: u64,
    /// Time of its kernels, where there is a bound.
    kernel: Option<Duration>,
}

impl<'l, 'a> Run<'l, 'a> {
    /// Everything before the first launch: regions in place, kernel compiled, memory for as many rows as are wanted at once.
    pub(super) fn prepare(
        device: &GpuDevice,
        ledger: &'l mut Ledger<'a>,
        plan: Plan,
        wanted: usize,
    ) -> Result<Run<'l, 'a>, GpuError> {
        let (backend, job) = (device.backend(), ledger.job);
        let (engine, terms) = (plan.engine.tuned(), plan.terms(job));
        refuse(&engine, &plan, job)?;
        let output = &mut ledger.output;

        let regions = regions(job);
        let specs: Vec<_> = regions.iter().map(|region| region.spec(terms)).collect();
        let limits = backend.limits();
        let shared = homes::block_bytes(&engine, &specs, job.options.local_memory, limits)?;
        require(backend.memory()?.free, &regions, terms)?;
        let loaded = timed(&mut output.times.compile, || {
            unit::with_unit_of_job(job, engine, &specs, |unit| backend.load(Code::Unit(unit)))
        })?;
        output.notes.extend_from_slice(&loaded.notes);
        let scratch = loaded.program.scratch()?;
        require_scratch(scratch, backend.memory()?)?;

        let addresses = timed(&mut output.times.upload, || {
            regions.iter().map(|region| region.settle(terms)).collect::<Result<Vec<_>, _>>()
        })?;

        let counters = Buffer::new(&backend, "counters", 8 * (Counter::COUNT + phase_count(job)))?;
        let sites = job.options.profile.then(|| new_sites(&backend, job)).transpose()?;
        let lines = Lines::new(&backend, job)?;
        let resident = loaded.program.resident_blocks(geometry::block(engine.crew, limits), shared)?;
        let order = engine.home.is_block().then(|| Order::of(job)).transpose()?;
        let groups = order.as_ref().map(|order| order.used);
        let wish = Wish { groups, shared, ..Wish::of(job, &plan, limits, resident) };
        let geometry = Geometry::choose(&wish);
        let own = new_own(&backend, engine, geometry.threads(), job.written_footprint())?;

        let rows = RowBytes::of(job, &engine);
        let capacity = piece_rows(job, geometry, rows, backend.memory()?, scratch)?.min(wanted);
        let buffers = PieceBuffers::new(&backend, job, capacity)?;
        let homes = order.map(|order| Homes::new(&backend, order, capacity)).transpose()?;
        let mut memory = capacity::memory(&regions, terms, rows, capacity, site_count(job));
        memory.locks += own.as_ref().map_or(0, |own| own.bytes() as u64);
        memory.bookkeeping += lines.as_ref().map_or(0, Lines::bytes);
        if terms.record {
            output.history = Some(History::new(engine.dense_versions));
        }
        Ok(Run {
            ledger,
            engine,
            addresses,
            loaded,
            wish,
            geometry,
            buffers,
            counters,
            sites,
            lines,
            own,
            homes,
            memory,
            kernel: Duration::ZERO,
        })
    }

    /// What the report shows is this.
    fn describe(&mut self) {
        let output = &mut self.ledger.output;
        output.shape = self.geometry.to_string();
        output.memory = self.memory;
    }

    /// Goes on with another shape, which the report shows too.
    fn thin_out(&mut self, geometry: Geometry) {
        if geometry != self.geometry {
            let first = self.ledger.output.shape.split("; then ").next().unwrap_or_default().to_owned();
            self.ledger.output.shape = format!("{first}; then {geometry}, for the conflicts");
            self.geometry = geometry;
        }
    }

    /// Rows that it takes at once.
    pub(super) fn capacity(&self) -> usize {
        self.buffers.capacity
    }

    /// Round after round over what is left, until nothing is, or a whole round finishes nothing. The first round is over the
    /// rows from `first` on: those before it have been visited, and may be pending.
    pub(super) fn work(&mut self, first: usize) -> Result<(), GpuError> {
        let rows = self.ledger.job.rows;
        let mut left = self.by_part(|row| row >= first)?;
        let (mut passes, mut whole) = (0, first == 0);
        loop {
            let before = self.ledger.finished;
            let (pieces, end) = match &left {
                None => {
                    self.round(rows - first, passes, |range| Rows::Range(first + range.start..first + range.end))?
                }
                Some(left) => self.round(left.len(), passes, |range| Rows::Picked(&left[range]))?,
            };
            if self.ledger.finished == rows as u64 {
                return Ok(());
            }
            if let End::Limit(why) = end {
                self.ledger.output.why_left = why;
                return Ok(());
            }
            // A single piece that is stuck has been visited whole without any progress.
            let is_whole = mutant!("run loop: what the last chunk cannot do, no chunk can", pieces == 1, true);
            let still = self.ledger.finished == before || (is_whole && end == End::Stuck);
            if still && whole {
                self.ledger.output.why_left = Why::GuardNeverHeld;
                return Ok(());
            }
            left = Some(self.pending()?);
            passes = mutant!("run loop: each round has passes of its own", self.ledger.output.passes, 0);
            whole = true;
        }
    }

    /// One round over so many rows, in pieces. Returns the number of pieces and the last piece's end.
    fn round<'r>(
        &mut self,
        total: usize,
        passes: u64,
        rows: impl Fn(Range<usize>) -> Rows<'r>,
    ) -> Result<(usize, End), GpuError> {
        let capacity = self.buffers.capacity;
        let (mut pieces, mut end) = (0, End::Done);
        let visited = mutant!("run loop: one transaction at the end is left out", total, total.saturating_sub(1));
        for begin in (0..visited).step_by(capacity) {
            pieces += 1;
            end = self.piece(&rows(begin..total.min(begin + capacity)), Bounds { passes, kernel: None })?;
            if let End::Limit(_) = end {
                break;
            }
        }
        Ok((pieces, end))
    }

    /// Works on rows that nobody has visited, for so long: what is left of them is for others.
    pub(super) fn try_rows(&mut self, rows: Range<usize>, kernel: Duration) -> Result<End, GpuError> {
        if rows.is_empty() {
            return Ok(End::Done);
        }
        let bounds = Bounds { passes: 0, kernel: Some(kernel) };
        match self.by_part(|row| rows.contains(&row))? {
            None => self.piece(&Rows::Range(rows), bounds),
            Some(order) => self.piece(&Rows::Picked(&order), bounds),
        }
    }

    /// These rows in the order of their parts, where the engine wants them so.
    fn by_part(&self, is_meant: impl Fn(usize) -> bool) -> Result<Option<Vec<usize>>, NoMemory> {
        self.homes.as_ref().map(|homes| homes.order.select(is_meant)).transpose()
    }

    fn pending(&self) -> Result<Vec<usize>, NoMemory> {
        let status = &self.ledger.output.status;
        self.by_part(|row| !is_finished(status[row]))?.map_or_else(|| self.ledger.pending(), Ok)
    }

    /// Brings a piece to the device, works on it, and brings its outcomes back.
    fn piece(&mut self, rows: &Rows<'_>, bounds: Bounds) -> Result<End, GpuError> {
        let job = self.ledger.job;
        let groups = timed(&mut self.ledger.output.times.upload, || {
            self.buffers.upload(job, rows)?;
            self.homes.as_ref().map_or(Ok(Groups::default()), |homes| homes.upload(rows))
        })?;
        let mut details = false;
        let end = self.launches((rows.len() as u64, groups), bounds, &mut details)?;

        let begin = Instant::now();
        let output = &mut self.ledger.output;
        if details && output.detail.is_empty() {
            output.detail = memory::zeroed("outcomes", job.rows)?;
        }
        self.buffers.download(rows, details, output)?;
        let RunOutput { status, history, .. } = output;
        if let Some(history) = history {
            self.buffers.download_history(rows, status, history)?;
        }
        output.times.download += begin.elapsed();
        Ok(end)
    }

    /// Launches until the piece is done, stuck, or a limit is reached.
    fn launches(&mut self, (rows, groups): (u64, Groups), bounds: Bounds, details: &mut bool) -> Result<End, GpuError> {
        // A piece on trial shows what this shape can do.
        let is_fixed = self.wish.threads.is_some() || self.wish.lanes.is_some() || bounds.kernel.is_some();
        let mut crowd = Crowd::new(self.wish, self.geometry, is_fixed);
        let mut slice = SLICE;
        let mut made = bounds.passes;
        let (mut left, mut tries, mut fresh) = (rows, 0, true);
        let (start, most) = (self.kernel, bounds.kernel.unwrap_or(Duration::MAX));
        while left > 0 {
            if let Some(why) = self.ledger.limit_reached(made) {
                return Ok(End::Limit(why));
            }
            let rest = most.saturating_sub(self.kernel - start);
            if rest.is_zero() {
                return Ok(End::Overdue);
            }
            let time = self.ledger.within_limit(crowd.slice(slice)).min(rest);
            let before = self.kernel;
            let geometry = crowd.geometry();
            let counts = self.launch(geometry, (rows, groups), fresh, time, made)?;
            fresh = false;
            let finished = counts.finished();
            left = left.saturating_sub(finished);
            let earlier = mutant!("run loop: each launch has passes of its own", made, bounds.passes);
            made = earlier + counts.get(Counter::Passes);
            self.ledger.add(&counts, made);
            *details |= counts.details() > 0;
            if finished > 0 {
                tries = 0;
                crowd.learn(finished, counts.conflicts().total(), self.kernel - before);
                self.thin_out(crowd.best());
                if bounds.kernel.is_none() && left > 0 && left * FEW < rows && rows > LONG_WALK * geometry.threads() {
                    return Ok(End::Few);
                }
            } else if counts.left_by_conflicts() > 0 {
                // Everybody is in everybody's way: fewer at once.
                tries += u32::from(geometry.threads() == 1);
                if tries == LAST_TRIES {
                    return Err(GpuError::NoProgress { engine: self.engine.name, rows: left });
                }
                crowd.halve();
            } else if counts.left_unvisited() > 0 {
                // The time was too short to look at every row even once.
                slice = slice.saturating_mul(2);
                crowd.look_longer();
            } else if left > 0 {
                return Ok(End::Stuck);
            }
        }
        Ok(End::Done)
    }

    fn launch(
        &mut self,
        geometry: Geometry,
        (rows, groups): (u64, Groups),
        fresh: bool,
        slice: Duration,
        made: u64,
    ) -> Result<Counts, GpuError> {
        let options = self.ledger.job.options;
        let allowed = options.pass_limit.map_or(PASSES, |limit| limit.saturating_sub(made));
        let [status, detail, results, bindings, log] = self.buffers.addresses();
        let parameters = Launch {
            rows,
            fresh: u64::from(mutant!("run loop: each launch begins anew", fresh, true)),
            lanes: u64::from(geometry.lanes),
            passes: PASSES.min(allowed),
            attempts: ATTEMPTS,
            budget_ns: slice.as_nanos().try_into().unwrap_or(u64::MAX),
            seed: options.seed.wrapping_add(self.ledger.launches),
            status,
            detail,
            results,
            bindings,
            counters: self.counters.address(),
            sites: self.sites.as_ref().map_or(0, Buffer::address),
            log,
            log_stride: self.buffers.log_stride as u64,
            run: self.own.as_ref().map_or(0, Buffer::address),
            groups: groups.count,
            starts: groups.starts,
            parts: groups.parts,
            lines: self.lines.as_ref().map_or(0, Lines::address),
            columns: self.buffers.column_addresses(),
            regions: self.addresses.clone(),
        };
        self.ledger.launches += 1;
        self.counters.zero()?;
        let took = self.loaded.program.launch(geometry.launched(), &parameters.words());
        // What was printed before a launch failed shows where the device can still be read.
        let printed = self.lines.as_ref().map_or(Ok(()), |lines| lines.flush(self.ledger.job));
        let took = took?;
        printed?;
        self.kernel += took;
        self.ledger.output.times.kernel += took;

        let phases = phase_count(self.ledger.job);
        let mut counts = vec![0; Counter::COUNT + phases];
        self.counters.download(0, HostSliceMut::U64(&mut counts))?;
        if phases > 0 {
            let sums = self.ledger.output.phases.get_or_insert_default();
            sums.add(&self.engine, &counts.split_off(Counter::COUNT));
        }
        Ok(Counts(counts))
    }

    /// Adds what it counted by site to what others did.
    pub(super) fn collect_sites(&mut self) -> Result<(), GpuError> {
        let Some(sites) = &self.sites else { return Ok(()) };
        let Ledger { job, output, .. } = &mut *self.ledger;
        let mut all = vec![0; site_count(job)];
        sites.download(0, HostSliceMut::U64(&mut all))?;
        output.sites.resize_with(job.kinds.len(), Vec::new);
        let mut rest = all.as_slice();
        for (kind, counts) in job.kinds.iter().zip(&mut output.sites) {
            let (own, others) = rest.split_at(kind.spec.sites.len());
            counts.resize(own.len(), 0);
            counts.iter_mut().zip(own).for_each(|(count, more)| *count += more);
            rest = mutant!("run loop: all procedures have the conflicts of the first", others, rest);
        }
        Ok(())
    }
}

/// Runs a step and adds its time.
fn timed<T>(to: &mut Duration, step: impl FnOnce() -> T) -> T {
    let begin = Instant::now();
    let result = step();
    *to += begin.elapsed();
    result
}

/// Words behind the counters.
fn phase_count(job: &Job<'_>) -> usize {
    if job.options.phases { Phase::COUNT } else { 0 }
}

fn site_count(job: &Job<'_>) -> usize {
    job.kinds.iter().map(|kind| kind.spec.sites.len()).sum()
}

/// What the engine cannot do for this table.
fn refuse(engine: &EngineSpec, plan: &Plan, job: &Job<'_>) -> Result<(), GpuError> {
    let beyond = |asked: u64, most: Option<u64>| most.filter(|most| asked > *most).map(|most| (asked, most));
    if let Some((asked, most)) = beyond(plan.threads.unwrap_or(0) as u64, engine.max_threads) {
        return Err(GpuError::TooManyThreads { engine: engine.name, most, asked });
    }
    if let Some((elements, most)) = beyond(job.written_footprint(), engine.max_footprint) {
        return Err(GpuError::TooManyElements { engine: engine.name, most, elements });
    }
    job.kinds.iter().try_for_each(|kind| homes::foreign(engine, kind.spec))
}

/// What the engine keeps for a run, zero.
fn new_own(
    backend: &Arc<dyn Backend>,
    engine: Tuned,
    threads: u64,
    footprint: u64,
) -> Result<Option<Buffer>, GpuError> {
    let bytes = (engine.of_run)(Effort { threads, footprint, settings: engine.settings });
    if bytes == 0 {
        return Ok(None);
    }
    Buffer::zeroed(backend, "the engine's records", usize::try_from(bytes).unwrap_or(usize::MAX)).map(Some)
}

fn new_sites(backend: &Arc<dyn Backend>, job: &Job<'_>) -> Result<Buffer, GpuError> {
    Buffer::zeroed(backend, "conflict counters", 8 * site_count(job))
}
