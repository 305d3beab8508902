//! Runs a table on a device.
//!
//! The kernel works in slices: each launch ends after a bounded time, whatever the transactions do, and the host looks at the
//! counters, tells the progress, heeds limits, and launches again. The end of a launch is the moment at which everybody's
//! progress is known, so that is where an end without progress is found.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use kernels_gen::device::launch::{Counter, Launch, RegionAddress};
use kernels_gen::device::{Effort, EngineSpec};

use super::GpuDevice;
use super::backend::{Backend, Buffer, Code, HostSliceMut, Loaded};
use super::capacity::{memory, piece_rows, require};
use super::error::GpuError;
use super::geometry::{self, Geometry, Wish};
use super::homes::{self, Groups, Homes, Order};
use super::pieces::{PieceBuffers, RowBytes, Rows};
use super::region::GpuRegion;
use super::unit;
use crate::error::Error;
use crate::job::{COMMITTED, FAULTED, Job, PENDING, REJECTED, RunOutput};
use crate::progress::Progress;
use crate::proof::History;
use crate::report::{Conflicts, Why};

/// Passes that a thread may make over its run within one launch.
const PASSES: u64 = 64;
/// Attempts at one row before a thread turns to its next.
const ATTEMPTS: u64 = 64;
/// How long a launch may take before the host looks at the limits again.
const SLICE: Duration = Duration::from_millis(100);
/// Launches with one thread that end in conflicts: then nothing but a lock left behind can be the cause.
const LAST_TRIES: u32 = 3;

/// Runs a table. The caller holds the regions.
pub(crate) fn run(device: &GpuDevice, job: &Job<'_>) -> Result<RunOutput, Error> {
    let mut run = Run::prepare(device, job)?;
    match run.work() {
        Ok(()) => Ok(run.output),
        Err(error) => {
            for region in &run.regions {
                region.distrust();
            }
            Err(error.into())
        }
    }
}

/// The status is final.
pub(super) fn is_finished(status: u8) -> bool {
    (COMMITTED..=FAULTED).contains(&status)
}

struct Run<'a> {
    job: &'a Job<'a>,
    engine: &'static EngineSpec,
    regions: Vec<&'a GpuRegion>,
    addresses: Vec<RegionAddress>,
    loaded: Loaded,
    geometry: Geometry,
    buffers: PieceBuffers,
    counters: Buffer,
    sites: Option<Buffer>,
    /// What the engine keeps for the run.
    own: Option<Buffer>,
    /// The rows by part, for an engine that wants them so.
    homes: Option<Homes>,
    begin: Instant,
    launches: u64,
    finished: u64,
    output: RunOutput,
}

/// How the work on a piece ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    /// Every row is finished.
    Done,
    /// Nothing that is left in the piece can move.
    Stuck,
    /// A limit was reached, or the user stops.
    Limit(Why),
}

/// What one launch counted.
struct Counts(Vec<u64>);

impl Counts {
    fn get(&self, counter: Counter) -> u64 {
        self.0[counter as usize]
    }

    fn finished(&self) -> u64 {
        self.get(Counter::Committed) + self.get(Counter::Rejected) + self.get(Counter::Faulted)
    }
}

impl<'a> Run<'a> {
    /// Everything before the first launch: regions in place, kernel compiled, memory for the rows.
    fn prepare(device: &GpuDevice, job: &'a Job<'a>) -> Result<Run<'a>, GpuError> {
        let begin = Instant::now();
        let backend = device.backend();
        let engine = job.options.engine.spec();
        let record = job.options.check;
        refuse(engine, job)?;
        let mut output = RunOutput { engine: engine.name.to_owned(), ..RunOutput::default() };

        let regions: Vec<&GpuRegion> =
            job.regions.iter().map(|region| region.gpu().expect("regions of a device's table are on it")).collect();
        let specs: Vec<_> = regions.iter().map(|region| region.spec(engine)).collect();
        let limits = backend.limits();
        let shared = homes::block_bytes(engine, &specs, job.options.local_memory, limits)?;
        let loaded = timed(&mut output.times.compile, || {
            unit::with_unit_of_job(job, engine, &specs, |unit| backend.load(Code::Unit(unit)))
        })?;
        output.notes.clone_from(&loaded.notes);

        require(backend.memory()?.free, &regions, engine, record)?;
        let addresses = timed(&mut output.times.upload, || {
            regions.iter().map(|region| region.settle(engine, record)).collect::<Result<Vec<_>, _>>()
        })?;

        let counters = Buffer::new(&backend, "counters", 8 * Counter::COUNT)?;
        let sites = job.options.profile.then(|| new_sites(&backend, job)).transpose()?;
        let resident = loaded.program.resident_blocks(geometry::block(engine, limits), shared)?;
        let order = engine.home.is_block().then(|| Order::of(job));
        let groups = order.as_ref().map(|order| order.used);
        let geometry = Geometry::choose(&Wish { groups, shared, ..Wish::of(job, engine, limits, resident) });
        output.shape = geometry.to_string();
        let effort = Effort { threads: geometry.threads(), footprint: job.footprint() };
        let own = new_own(&backend, engine, effort)?;

        let rows = RowBytes::of(job, engine);
        let capacity = piece_rows(job, geometry, rows, backend.memory()?)?;
        let buffers = PieceBuffers::new(&backend, job, capacity)?;
        let homes = order.map(|order| Homes::new(&backend, order, capacity)).transpose()?;
        output.memory = memory(&regions, engine, record, rows, capacity, site_count(job));
        output.memory.locks += own.as_ref().map_or(0, |own| own.bytes() as u64);
        output.status = vec![PENDING; job.rows];
        output.results = vec![0; job.results * job.rows];
        output.history = record.then(|| History::new(engine.dense_versions));
        Ok(Run {
            job,
            engine,
            regions,
            addresses,
            loaded,
            geometry,
            buffers,
            counters,
            sites,
            own,
            homes,
            begin,
            launches: 0,
            finished: 0,
            output,
        })
    }

    /// Round after round over what is left, until nothing is, or a whole round finishes nothing.
    fn work(&mut self) -> Result<(), GpuError> {
        let mut left = self.homes.as_ref().map(|homes| homes.order.rows.clone());
        loop {
            let before = self.finished;
            let passes = self.output.passes;
            let (pieces, end) = self.round(left.as_deref(), passes)?;
            if self.finished == self.job.rows as u64 {
                break;
            }
            if let End::Limit(why) = end {
                self.output.why_left = why;
                break;
            }
            // A single piece that is stuck has been visited whole without any progress.
            if self.finished == before || (pieces == 1 && end == End::Stuck) {
                self.output.why_left = Why::GuardNeverHeld;
                break;
            }
            left = Some(self.pending());
        }
        self.collect_sites()
    }

    /// One round over all rows, or over those that are left. Returns the number of pieces and the last piece's end.
    fn round(&mut self, left: Option<&[usize]>, passes: u64) -> Result<(usize, End), GpuError> {
        let total = left.map_or(self.job.rows, <[usize]>::len);
        let capacity = self.buffers.capacity;
        let (mut pieces, mut end) = (0, End::Done);
        for begin in (0..total).step_by(capacity) {
            let range = begin..total.min(begin + capacity);
            let rows = match left {
                None => Rows::Range(range),
                Some(left) => Rows::Picked(&left[range]),
            };
            pieces += 1;
            end = self.piece(&rows, passes)?;
            if let End::Limit(_) = end {
                break;
            }
        }
        Ok((pieces, end))
    }

    fn pending(&self) -> Vec<usize> {
        let pending = |row: &usize| !is_finished(self.output.status[*row]);
        match &self.homes {
            Some(homes) => homes.order.rows.iter().copied().filter(pending).collect(),
            None => (0..self.output.status.len()).filter(pending).collect(),
        }
    }

    /// Brings a piece to the device, works on it, and brings its outcomes back.
    fn piece(&mut self, rows: &Rows<'_>, passes: u64) -> Result<End, GpuError> {
        let groups = timed(&mut self.output.times.upload, || {
            self.buffers.upload(self.job, rows)?;
            self.homes.as_ref().map_or(Ok(Groups::default()), |homes| homes.upload(rows))
        })?;
        let mut details = false;
        let end = self.launches(rows.len() as u64, groups, passes, &mut details)?;

        let begin = Instant::now();
        if details && self.output.detail.is_empty() {
            self.output.detail = vec![0; self.job.rows];
        }
        self.buffers.download(rows, details, &mut self.output)?;
        let RunOutput { status, history, .. } = &mut self.output;
        if let Some(history) = history {
            self.buffers.download_history(rows, status, history)?;
        }
        self.output.times.download += begin.elapsed();
        Ok(end)
    }

    /// Launches until the piece is done, stuck, or a limit is reached. `passes` is what earlier rounds made.
    fn launches(&mut self, rows: u64, groups: Groups, passes: u64, details: &mut bool) -> Result<End, GpuError> {
        let mut geometry = self.geometry;
        let mut slice = SLICE;
        let mut made = passes;
        let (mut left, mut tries, mut fresh) = (rows, 0, true);
        while left > 0 {
            if let Some(why) = self.limit_reached(made) {
                return Ok(End::Limit(why));
            }
            let counts = self.launch(geometry, (rows, groups), fresh, self.slice_within_limit(slice), made)?;
            fresh = false;
            let finished = counts.finished();
            left = left.saturating_sub(finished);
            self.finished += finished;
            made += counts.get(Counter::Passes);
            self.output.passes = self.output.passes.max(made);
            *details |= counts.get(Counter::Rejected) + counts.get(Counter::Faulted) > 0;
            self.tell_progress();
            if finished > 0 {
                tries = 0;
            } else if counts.get(Counter::LeftConflict) > 0 {
                // Everybody is in everybody's way: fewer at once.
                tries += u32::from(geometry.threads() == 1);
                if tries == LAST_TRIES {
                    return Err(GpuError::NoProgress { engine: self.engine.name, rows: left });
                }
                geometry = geometry.halved();
            } else if counts.get(Counter::LeftUnvisited) > 0 {
                // The time was too short to look at every row even once.
                slice = slice.saturating_mul(2);
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
        let allowed = self.job.options.pass_limit.map_or(PASSES, |limit| limit.saturating_sub(made));
        let [status, detail, results, bindings, log] = self.buffers.addresses();
        let parameters = Launch {
            rows,
            fresh: u64::from(fresh),
            lanes: u64::from(geometry.lanes),
            passes: PASSES.min(allowed),
            attempts: ATTEMPTS,
            budget_ns: slice.as_nanos().try_into().unwrap_or(u64::MAX),
            seed: self.job.options.seed.wrapping_add(self.launches),
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
            columns: self.buffers.column_addresses(),
            regions: self.addresses.clone(),
        };
        self.launches += 1;
        self.counters.zero()?;
        self.output.times.kernel += self.loaded.program.launch(geometry.launched(), &parameters.words())?;

        let mut counts = vec![0; Counter::COUNT];
        self.counters.download(0, HostSliceMut::U64(&mut counts))?;
        let counts = Counts(counts);
        self.output.postponements += counts.get(Counter::Postponements);
        self.output.conflicts.add(&Conflicts {
            locked: counts.get(Counter::ConflictLocked),
            stolen: counts.get(Counter::ConflictStolen),
            changed: counts.get(Counter::ConflictChanged),
            overwritten: counts.get(Counter::ConflictOverwritten),
            other: counts.get(Counter::ConflictOther),
        });
        Ok(counts)
    }

    fn limit_reached(&self, passes: u64) -> Option<Why> {
        let options = self.job.options;
        if options.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed)) {
            return Some(Why::Stopped);
        }
        if options.time_limit.is_some_and(|limit| self.begin.elapsed() >= limit) {
            return Some(Why::TimeLimit);
        }
        options.pass_limit.is_some_and(|limit| passes >= limit).then_some(Why::PassLimit)
    }

    fn slice_within_limit(&self, slice: Duration) -> Duration {
        match self.job.options.time_limit {
            Some(limit) => slice.min(limit.saturating_sub(self.begin.elapsed())),
            None => slice,
        }
    }

    fn tell_progress(&self) {
        if let Some(progress) = &self.job.options.progress {
            progress(Progress {
                finished: self.finished,
                transactions: self.job.rows as u64,
                elapsed: self.begin.elapsed(),
            });
        }
    }

    fn collect_sites(&mut self) -> Result<(), GpuError> {
        let Some(sites) = &self.sites else { return Ok(()) };
        let mut all = vec![0; site_count(self.job)];
        sites.download(0, HostSliceMut::U64(&mut all))?;
        let mut rest = all.as_slice();
        for kind in self.job.kinds {
            let (own, others) = rest.split_at(kind.spec.sites.len());
            self.output.sites.push(own.to_vec());
            rest = others;
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

fn site_count(job: &Job<'_>) -> usize {
    job.kinds.iter().map(|kind| kind.spec.sites.len()).sum()
}

/// What the engine cannot do for this table.
fn refuse(engine: &EngineSpec, job: &Job<'_>) -> Result<(), GpuError> {
    let beyond = |asked: u64, most: Option<u64>| most.filter(|most| asked > *most).map(|most| (asked, most));
    if let Some((asked, most)) = beyond(job.options.threads.unwrap_or(0) as u64, engine.max_threads) {
        return Err(GpuError::TooManyThreads { engine: engine.name, most, asked });
    }
    if let Some((elements, most)) = beyond(job.footprint(), engine.max_footprint) {
        return Err(GpuError::TooManyElements { engine: engine.name, most, elements });
    }
    job.kinds.iter().try_for_each(|kind| homes::foreign(engine, kind.spec))
}

/// What the engine keeps for a run, zero.
fn new_own(backend: &Arc<dyn Backend>, engine: &EngineSpec, effort: Effort) -> Result<Option<Buffer>, GpuError> {
    let bytes = (engine.of_run)(effort);
    if bytes == 0 {
        return Ok(None);
    }
    let own = Buffer::new(backend, "the engine's records", usize::try_from(bytes).unwrap_or(usize::MAX))?;
    own.zero()?;
    Ok(Some(own))
}

fn new_sites(backend: &Arc<dyn Backend>, job: &Job<'_>) -> Result<Buffer, GpuError> {
    let sites = Buffer::new(backend, "conflict counters", 8 * site_count(job))?;
    sites.zero()?;
    Ok(sites)
}

const _: () = assert!(COMMITTED < REJECTED && REJECTED < FAULTED, "finished statuses are a range");
