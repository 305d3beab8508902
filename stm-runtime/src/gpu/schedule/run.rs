//! Runs a batch on a device.
//!
//! The kernel works in slices: each launch ends after a bounded time, whatever the transactions do. The host then reads the
//! counters, reports progress, checks limits, and launches again. At the end of a launch the progress of all threads is known,
//! so that is where lack of progress is detected.

use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use kernels_gen::abi::launch::{ArrayAddress, Launch};
use kernels_gen::device::{EngineSpec, Extent, Scope, Stage, Tuned};

use super::choice;
use super::geometry::{Geometry, LaunchRequest};
use super::plan::Plan;
use super::prediction::Demand;
use super::route::Route;
use super::run_state::RunState;
use super::stages::{Exit, visits};
use crate::backend::{Job, JobOptions, Order};
use crate::error::{Error, GpuError};
use crate::gpu::backend::{DeviceBuffer, Driver, Loaded};
use crate::gpu::device::GpuDevice;
use crate::gpu::making::Making;
use crate::gpu::memory::ahead::AheadChunk;
use crate::gpu::memory::array_copies::ArrayCopies;
use crate::gpu::memory::arrays::JobArrays;
use crate::gpu::memory::bytes::ChunkBytes;
use crate::gpu::memory::capacity::{self, chunk_size, require, require_scratch};
use crate::gpu::memory::chunks::ChunkBuffers;
use crate::gpu::memory::far::FarPlaces;
use crate::gpu::memory::lines::Lines;
use crate::gpu::memory::locks::Terms;
use crate::gpu::memory::partitions::{self, Partitions};
use crate::gpu::memory::profile::Profile;
use crate::gpu::memory::sums::Sums;
use crate::gpu::memory::threads::{self, ThreadMemory};
use crate::gpu::memory::transactions::Transactions;
use crate::gpu::memory::transactions::is_finished;
use crate::gpu::refusal;
use crate::gpu::spread::Spread;
use crate::gpu::unit;
use crate::memory::NoMemory;
use crate::outcome::{Compilation, History, LaunchShape, Memory, RunOutput, UnresolvedReason};
use crate::timed::timed;

/// The maximum time of a launch before the host checks the limits again.
pub(crate) const SLICE: Duration = Duration::from_millis(100);
/// The transactions of the first launch in push order, where each may wait for the one before it.
pub(super) const FIRST_TURNS: u64 = 1 << 10;

/// Compiles the kernels of a run, as far as they are known before it.
pub(crate) fn compile(device: &GpuDevice, job: &Job<'_>) -> Result<(), Error> {
    let limits = device.backend().limits();
    let plan = match job.options.order {
        Order::Any => match choice::on_device(job, limits) {
            Some(plan) => plan,
            None => return Ok(()),
        },
        Order::Pushed => match choice::in_push_order(job, limits, || Demand::of(job)).first() {
            Some(turns) => Plan::of(turns.engine, job.options),
            None => return Ok(()),
        },
    };
    let engine = plan.engine.tuned();
    refuse(&engine, &plan, job)?;
    let specs = JobArrays::of(job, plan.terms(job)).specs();
    let making = Making::begin();
    let backend = device.backend();
    let spread = Spread::of(&*backend, job);
    unit::with_unit_of_job(job, engine, &specs, |unit| spread.load(&*backend, unit, making))?;
    Ok(())
}

/// One engine with one launch shape on a batch, or on a chunk of it.
pub(crate) struct Run<'l, 'a> {
    pub(crate) run_state: &'l mut RunState<'a>,
    pub(crate) engine: Tuned,
    pub(crate) addresses: Vec<ArrayAddress>,
    pub(crate) loaded: Loaded,
    /// The request that determined the shape.
    pub(crate) request: LaunchRequest,
    pub(crate) geometry: Geometry,
    /// The stages before the execution.
    pub(crate) visits: Vec<(&'static Stage, Geometry)>,
    /// The sums of elements that stages keep.
    pub(crate) sums: Sums,
    pub(crate) buffers: ChunkBuffers,
    /// Small arrays on each device of a cluster.
    pub(super) copies: ArrayCopies,
    /// The transactions by device, where several have a part of the work.
    pub(super) route: Option<Route>,
    /// What the kernels count, if the run is profiled.
    pub(crate) profile: Option<Profile>,
    /// The properties that determine the layout of the arrays.
    pub(crate) terms: Terms,
    /// The lines that transactions print.
    pub(crate) lines: Option<Lines>,
    /// The engine's memory for the run.
    pub(crate) own: Option<DeviceBuffer>,
    /// The engine's memory for the threads.
    pub(crate) threads: ThreadMemory,
    /// The places that are no parameters of a launch.
    pub(crate) far: FarPlaces,
    /// The groups of transactions, for an engine that needs them by partition.
    pub(super) partitions: Option<Partitions>,
    memory: Memory,
    /// Time of its kernels.
    pub(crate) kernel: Duration,
    /// Whether it is left for another place.
    pub(crate) exit: Exit,
    /// How many transactions the next launch takes that gives them their turns.
    pub(super) turns: u64,
}

/// How the work on a chunk ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    /// Every transaction is finished.
    Done,
    /// No remaining transaction of the chunk can make progress.
    Stuck,
    /// A few transactions are left among many finished ones: they continue in a separate chunk.
    Few,
    /// The place is slower than its floor: the rest of the batch runs elsewhere.
    Slow,
    /// The stages before the execution have run: what they have left runs elsewhere.
    Visited,
    /// A limit was reached, or the user stopped the run.
    Limit(UnresolvedReason),
    /// The chunk took too long compared with other candidates.
    Overdue,
}

/// The limits of a chunk.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bounds {
    /// The earlier passes over its transactions.
    pub(crate) passes: u64,
    /// Whether its transactions are executed for the first time.
    pub(crate) is_first: bool,
    /// The limit on kernel time, if any.
    pub(crate) kernel: Option<Duration>,
}

impl<'l, 'a> Run<'l, 'a> {
    /// Prepares the first launch: converts the arrays, compiles the kernel, allocates memory for the transactions of a chunk.
    pub(crate) fn prepare(
        device: &GpuDevice,
        run_state: &'l mut RunState<'a>,
        plan: Plan,
        wanted: usize,
    ) -> Result<Run<'l, 'a>, GpuError> {
        let (backend, job, engine) = (device.backend(), run_state.job, plan.engine.tuned());
        let (terms, spread) = (plan.terms(job), Spread::of(&*backend, job));
        let (arrays, limits) = (JobArrays::of(job, terms), spread.limits(backend.limits()));
        let ahead = run_state.ahead.take().and_then(|ahead| ahead.unless_short(&*backend, arrays.missing_bytes()));
        let output = &mut run_state.output;
        let Kernels { loaded, shared, scratch } = load(&*backend, (job, &plan), &arrays, spread, output)?;
        let (mut addresses, copies) = timed(&mut output.times.upload, || settled(&backend, job, &arrays, spread))?;
        let sums = Sums::new(&backend, &engine, &loaded.outline.settled, &mut addresses)?;
        let profile = job.options.profile.then(|| Profile::new(&backend, job)).transpose()?;
        let (lines, resident) = (Lines::new(&backend, job)?, loaded.resident(engine.execution(), limits, shared)?);
        let order = engine.requires.partitions.then(|| partitions::Order::of(job)).transpose()?;
        let groups = order.as_ref().map(|order| order.used);
        let request = LaunchRequest { groups, shared, ..LaunchRequest::of(job, &plan, limits, resident) };
        let (request, threads) = with_thread_memory(&backend, engine, job, request)?;
        let (geometry, mut visits) = (Geometry::choose(&request), visits(&loaded, &request, &sums, &mut addresses)?);
        let own = new_own(&backend, engine, geometry.threads(), job.written_footprint())?;
        let (most, running, listings) = (engine.requires.max_transactions, geometry.threads(), loaded.outline.listings);
        let bytes = |transactions| ChunkBytes::of(job, (&engine, listings), backend.limits(), transactions);
        let available = backend.memory_for(bytes(job.transactions as u64).total())?;
        let capacity = chunk_size(job, most, running, |n| bytes(n).total(), available, scratch)?.min(wanted);
        let buffers =
            AheadChunk::or_new(ahead, &backend, job, (&engine, listings), capacity, &mut output.times.upload)?;
        let route = Route::of(&backend, &mut visits, (limits.cluster, geometry.threads()), capacity)?;
        let partitions = order.map(|order| Partitions::new(&backend, order, capacity)).transpose()?;
        output.history = terms.record.then(|| History::new(engine.numbers_commits_by_lock()));
        let mut memory = capacity::memory(&arrays, bytes(capacity as u64));
        memory.locks += own.as_ref().map_or(0, |own| own.bytes() as u64) + sums.bytes();
        let counted = lines.as_ref().map_or(0, Lines::bytes) + profile.as_ref().map_or(0, Profile::bytes);
        memory.bookkeeping += counted + copies.bytes() + threads.bytes() + route.as_ref().map_or(0, Route::bytes);
        Ok(Run {
            run_state,
            engine,
            addresses,
            terms,
            loaded,
            request,
            geometry,
            visits,
            sums,
            buffers,
            copies,
            route,
            profile,
            lines,
            own,
            threads,
            far: FarPlaces::new(&backend, job)?,
            partitions,
            memory,
            kernel: Duration::ZERO,
            exit: Exit::default(),
            turns: FIRST_TURNS,
        })
    }

    /// Returns the parameters of a launch that are addresses of copies, of which each device has one.
    pub(super) fn copied(&self, parameters: &Launch) -> Vec<(usize, u64)> {
        let mut copied = self.buffers.copied_parameters();
        copied.extend(self.copies.parameters(&parameters.arrays));
        copied
    }

    /// Stores the engine and shape for the report.
    pub(crate) fn describe(&mut self) {
        let output = &mut self.run_state.output;
        output.shape = LaunchShape::Gpu { first: self.geometry.into(), narrowed: None };
        output.memory = self.memory;
    }

    /// Continues with another shape, and stores it for the report.
    pub(crate) fn thin_out(&mut self, geometry: Geometry) {
        if geometry != self.geometry {
            self.run_state.output.shape.narrow(geometry.into());
            self.geometry = geometry;
        }
    }

    /// Returns the number of transactions that fit at once.
    pub(crate) fn capacity(&self) -> usize {
        self.buffers.capacity
    }

    /// Runs rounds over the pending transactions until none is left, or a whole round finishes nothing. The first round covers the
    /// transactions from `first` on; earlier ones have been executed, and may be pending.
    pub(crate) fn work(&mut self, first: usize) -> Result<(), GpuError> {
        let transactions = self.run_state.job.transactions;
        let mut left = self.by_part(|transaction| transaction >= first)?;
        let mut bounds = Bounds { passes: 0, is_first: true, kernel: None };
        let mut whole = first == 0;
        loop {
            let before = self.run_state.finished;
            let (chunks, end) = match &left {
                None => self.round(transactions - first, bounds, |range| {
                    Transactions::Range(first + range.start..first + range.end)
                })?,
                Some(left) => self.round(left.len(), bounds, |range| Transactions::Picked(&left[range]))?,
            };
            bounds.is_first = false;
            if self.run_state.finished == transactions as u64 {
                return Ok(());
            }
            if let End::Limit(why) = end {
                self.run_state.output.unresolved_reason = why;
                return Ok(());
            }
            if self.exit.left_at.is_some() {
                return Ok(());
            }
            // A single chunk without progress has been scanned completely.
            let is_whole = mutant!("run loop: what the last chunk cannot do, no chunk can", chunks == 1, true);
            let still = self.run_state.finished == before || (is_whole && end == End::Stuck);
            if still && whole {
                self.run_state.output.unresolved_reason = UnresolvedReason::GuardNeverHeld;
                return Ok(());
            }
            left = Some(self.pending()?);
            bounds.passes = mutant!("run loop: each round has passes of its own", self.run_state.output.passes, 0);
            whole = true;
        }
    }

    /// Runs one round over these transactions, in chunks. Returns the number of chunks and the last chunk's end.
    fn round<'r>(
        &mut self,
        total: usize,
        bounds: Bounds,
        transactions: impl Fn(Range<usize>) -> Transactions<'r>,
    ) -> Result<(usize, End), GpuError> {
        let capacity = self.buffers.capacity;
        let (mut chunks, mut end) = (0, End::Done);
        let visited = mutant!("run loop: one transaction at the end is left out", total, total.saturating_sub(1));
        for begin in (0..visited).step_by(capacity) {
            chunks += 1;
            end = self.chunk(&transactions(begin..total.min(begin + capacity)), bounds)?;
            if matches!(end, End::Limit(_) | End::Slow) {
                break;
            }
        }
        Ok((chunks, end))
    }

    /// Runs new transactions for a bounded time; the remaining ones are left to later launches.
    pub(crate) fn try_transactions(&mut self, transactions: Range<usize>, kernel: Duration) -> Result<End, GpuError> {
        if transactions.is_empty() {
            return Ok(End::Done);
        }
        let bounds = Bounds { passes: 0, is_first: true, kernel: Some(kernel) };
        match self.by_part(|transaction| transactions.contains(&transaction))? {
            None => self.chunk(&Transactions::Range(transactions), bounds),
            Some(order) => self.chunk(&Transactions::Picked(&order), bounds),
        }
    }

    /// Returns whether the engine needs the transactions in groups.
    pub(super) fn has_groups(&self) -> bool {
        self.partitions.is_some()
    }

    /// Returns these transactions in the order of their partitions, where the engine needs it.
    fn by_part(&self, is_meant: impl Fn(usize) -> bool) -> Result<Option<Vec<usize>>, NoMemory> {
        self.partitions.as_ref().map(|partitions| partitions.order.select(is_meant)).transpose()
    }

    fn pending(&self) -> Result<Vec<usize>, NoMemory> {
        let status = &self.run_state.output.status;
        self.by_part(|transaction| !is_finished(status[transaction]))?.map_or_else(|| self.run_state.pending(), Ok)
    }
}

/// The kernels of a run on the device.
struct Kernels {
    loaded: Loaded,
    /// Bytes of block-shared memory.
    shared: u32,
    /// Bytes of device memory that the first launch takes for the threads' own variables.
    scratch: u64,
}

/// Compiles the kernels of a run, and checks that the engine supports it, and that the device has memory for them and for the arrays.
fn load(
    backend: &dyn Driver,
    (job, plan): (&Job<'_>, &Plan),
    arrays: &JobArrays<'_>,
    spread: Spread,
    output: &mut RunOutput,
) -> Result<Kernels, GpuError> {
    let chosen = plan.engine;
    span!("compile", engine = %chosen);
    let (engine, specs) = (chosen.tuned(), arrays.specs());
    refuse(&engine, plan, job)?;
    let shared = partitions::block_bytes(&engine, &specs, job.options.block_memory, backend.limits())?;
    require(backend.memory_for(arrays.missing_bytes())?.free, arrays)?;
    let making = Making::begin();
    let loaded = unit::with_unit_of_job(job, engine, &specs, |unit| spread.load(backend, unit, making))?;
    output.notes.extend_from_slice(&loaded.notes);
    let JobOptions { phases: timed, check: checked, profile: profiled, .. } = *job.options;
    let (origin, times) = (loaded.origin, loaded.times);
    output.add_unit(Compilation { engine: chosen, timed, checked, profiled, origin, times });
    let all = loaded.outline.stages.iter().copied().chain([engine.execution()]);
    let scratch = all.map(|stage| loaded.program.scratch(stage.entry));
    let scratch = scratch.collect::<Result<Vec<u64>, _>>()?.into_iter().max().unwrap_or(0);
    require_scratch(scratch, backend.memory_for(0)?)?;
    Ok(Kernels { loaded, shared, scratch })
}

/// Converts the arrays to the layouts of the run. Returns their addresses, and the copies of small ones.
fn settled(
    backend: &Arc<dyn Driver>,
    job: &Job<'_>,
    arrays: &JobArrays<'_>,
    spread: Spread,
) -> Result<(Vec<ArrayAddress>, ArrayCopies), GpuError> {
    let mut addresses = arrays.settle()?;
    let copies = ArrayCopies::new(backend, job, arrays, spread == Spread::Readers, &mut addresses)?;
    Ok((addresses, copies))
}

/// Refuses a batch that the engine does not support.
fn refuse(engine: &EngineSpec, plan: &Plan, job: &Job<'_>) -> Result<(), GpuError> {
    let asked = plan.threads.unwrap_or(0) as u64;
    if let Some(most) = engine.requires.max_threads.filter(|most| asked > *most) {
        return Err(GpuError::TooManyThreads { engine: engine.name, most, asked });
    }
    job.procedures.iter().try_for_each(|procedure| refusal::check(engine, procedure.spec))
}

/// Allocates the engine's memory for threads. Returns the request with as many threads as have it.
fn with_thread_memory(
    backend: &Arc<dyn Driver>,
    engine: Tuned,
    job: &Job<'_>,
    request: LaunchRequest,
) -> Result<(LaunchRequest, ThreadMemory), GpuError> {
    let each = threads::bytes_each(&engine, job);
    let request = request.within(threads::most_threads(each, backend.memory_for(threads::most_bytes(each))?)?);
    Ok((request, ThreadMemory::new(backend, each, request.max_threads.unwrap_or(0))?))
}

/// Allocates the engine's memory for a run, zeroed.
fn new_own(
    backend: &Arc<dyn Driver>,
    engine: Tuned,
    threads: u64,
    footprint: u64,
) -> Result<Option<DeviceBuffer>, GpuError> {
    let bytes = engine.bytes(Scope::Run, Extent { threads, footprint, ..Extent::new(engine.settings) });
    if bytes == 0 {
        return Ok(None);
    }
    DeviceBuffer::zeroed(backend, "the engine's records", usize::try_from(bytes).unwrap_or(usize::MAX)).map(Some)
}
