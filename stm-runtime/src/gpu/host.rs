//! What is left of a batch, on the cores of the host.
//!
//! Where nearly all transactions need the same few elements, they run one after the other on any device, and a core of the host is the
//! fastest place for that: it has the elements in its first cache. The arrays move to the host, and back when a device needs them: later
//! runs on the host find them there.

use std::sync::Arc;

use crate::backend::{Array, ArrayShape, Backend, Granularity, Job, JobOptions, LentFunctions, SpecializationIds};
use crate::cpu::{CpuDevice, Teamwork};
use crate::error::Error;
use crate::gpu::memory::array::{ArrayPlace, GpuArray};
use crate::gpu::memory::transactions::is_finished;
use crate::gpu::schedule::run_state::RunState;
use crate::memory::{self, NoMemory};
use crate::outcome::{COMMITTED, Details, FAULTED, RunOutput, UnresolvedReason};
use crate::progress::Progress;
use crate::tuning::{Selection, on_host};

/// Transactions after which the rate is compared with the floor.
pub(super) const PROBE: usize = 1 << 12;
/// The most elements of a short transaction.
const SHORT: u64 = 16;
/// The purpose of the memory, for errors.
const WHAT: &str = "the transactions that are left";

/// The arrays of a job in memory of the host.
struct Host(Vec<Array>);

/// Runs the transactions that are not finished, as CPU threads run a batch. Returns the measured rate if `probe` of them show that it is
/// below `floor`, and then has run only these.
///
/// In push order, `visited` of the first transactions have had their first turn.
pub(super) fn work(
    run_state: &mut RunState<'_>,
    visited: usize,
    (floor, probe): (f64, usize),
) -> Result<Option<f64>, Error> {
    span!("fallback", transactions = run_state.job.transactions as u64 - run_state.finished);
    let host = match Host::new(run_state.job) {
        // The arrays stay on the device, which is better than an error.
        Err(Error::HostMemory { .. }) if floor > 0.0 => return Ok(Some(0.0)),
        made => made?,
    };
    let mut measured = None;
    if floor > 0.0 {
        let rate = host.run(run_state, visited, probe)?;
        measured = (rate < floor).then_some(rate);
    }
    let is_over = run_state.output.unresolved_reason != UnresolvedReason::GuardNeverHeld;
    if measured.is_none() && !is_over {
        host.run(run_state, visited, usize::MAX)?;
    }
    Ok(measured.filter(|_| !is_over))
}

impl Host {
    /// Moves the arrays of a job to the host.
    fn new(job: &Job<'_>) -> Result<Host, Error> {
        let records = job.records();
        let mut arrays: Vec<Option<Array>> = vec![None; job.arrays.len()];
        for first in (0..records.len()).filter(|at| records[*at] == *at) {
            let of_record: Vec<usize> = (0..records.len()).filter(|at| records[*at] == first).collect();
            if let Some(there) = on_cores(job, &of_record) {
                of_record.iter().zip(there).for_each(|(at, array)| arrays[*at] = Some(array));
                continue;
            }
            let shapes: Vec<ArrayShape> = of_record.iter().map(|at| job.arrays[*at].shape()).collect();
            let stores = cores().allocate(&shapes, Granularity::Record)?;
            let device = job.arrays[first].device();
            let made = Array::of_components(device, shapes.into_iter().zip(stores), Granularity::Record);
            for (at, array) in of_record.into_iter().zip(made) {
                array.copy(0, &job.arrays[at], 0, array.len())?;
                arrays[at] = Some(array);
            }
        }
        let host = Host(arrays.into_iter().flatten().collect());
        job.arrays.iter().zip(&host.0).for_each(|(array, of_host)| store(array).stay_in(of_host.clone()));
        Ok(host)
    }

    /// Runs at most that many of the transactions that are not finished. Returns how many a second; one that waits counts, too.
    fn run(&self, run_state: &mut RunState<'_>, visited: usize, most: usize) -> Result<f64, Error> {
        let (job, finished) = (run_state.job, run_state.finished);
        let picked = Picked::of(run_state, most)?;
        let time_limit = job.options.time_limit.map(|limit| run_state.within_limit(limit));
        let progress = job.options.progress.clone().map(|tell| -> Arc<dyn Fn(Progress) + Send + Sync> {
            let transactions = job.transactions as u64;
            Arc::new(move |part| tell(Progress { finished: finished + part.finished, transactions, ..part }))
        });
        let selection = selection(job);
        let visited = picked.below(visited);
        // A number of threads is one of the device.
        let options = JobOptions { selection, threads: None, time_limit, progress, visited, ..job.options.clone() };
        let on_host = Job {
            arrays: &self.0,
            options: &options,
            printer: job.printer.clone(),
            functions: Box::new(LentFunctions(&*job.functions)),
            transactions: picked.len(),
            rows: picked.rows(job),
            specialization_ids: picked.specialization_ids(job),
            ..*job
        };
        if on_host.transactions == 0 {
            return Ok(f64::INFINITY);
        }
        let part = cores().run(&on_host, None)?;
        let count =
            |is_meant: &dyn Fn(u8) -> bool| part.status.iter().filter(|status| is_meant(**status)).count() as u64;
        let (finished, committed) = (count(&is_finished), count(&|status| status == COMMITTED));
        let faulted = count(&|status| status == FAULTED);
        let rate = (finished + part.postponements) as f64 / part.times.kernel.as_secs_f64().max(1e-9);
        leave_results(run_state, &part, &picked)?;
        merge(&mut run_state.output, part, &picked)?;
        run_state.finished += finished;
        run_state.committed += committed;
        run_state.faulted += faulted;
        Ok(rate)
    }
}

/// Returns the arrays of CPU threads that have these components of a record, if all are in one table.
fn on_cores(job: &Job<'_>, of_record: &[usize]) -> Option<Vec<Array>> {
    let there = of_record.iter().map(|at| match store(&job.arrays[*at]).place() {
        ArrayPlace::Cores(array) => Some(array),
        ArrayPlace::Host | ArrayPlace::Device => None,
    });
    let there: Vec<Array> = there.collect::<Option<_>>()?;
    let are_together = there.iter().all(|array| array.record() == there[0].record());
    are_together.then_some(there)
}

fn store(array: &Array) -> &GpuArray {
    array.store().expect("arrays of a device's batch are on it")
}

/// Returns one transaction at a time for short transactions: they are here because they need the same elements, so threads would wait
/// for each other. Otherwise what CPU threads do by the plan, with its methods.
fn selection(job: &Job<'_>) -> Selection {
    match job.footprint() {
        0..=SHORT => on_host().into(),
        _ if job.options.selection.methods().is_some() => job.options.selection.clone(),
        _ => Selection::plan(),
    }
}

/// Returns all cores of the host as a device.
fn cores() -> CpuDevice {
    CpuDevice::new(0, Teamwork::Free)
}

/// The transactions of a part of a job.
enum Picked {
    /// The first ones of the batch.
    First(usize),
    /// Some, with the row and the specialization of each.
    Some { transactions: Vec<usize>, rows: Vec<u32>, ids: Vec<u16> },
}

impl Picked {
    /// Returns the first transactions that are not finished, at most that many.
    fn of(run_state: &RunState<'_>, most: usize) -> Result<Picked, NoMemory> {
        let job = run_state.job;
        if run_state.finished == 0 {
            return Ok(Picked::First(job.transactions.min(most)));
        }
        let mut transactions = run_state.pending()?;
        transactions.truncate(most);
        let rows = memory::collected(WHAT, transactions.iter().map(|at| job.row_of(*at) as u32))?;
        let ids = job.specialization_ids.map(|ids| transactions.iter().map(move |at| ids.in_batch[*at]));
        let ids = ids.map(|ids| memory::collected(WHAT, ids)).transpose()?.unwrap_or_default();
        Ok(Picked::Some { transactions, rows, ids })
    }

    fn len(&self) -> usize {
        match self {
            Picked::First(transactions) => *transactions,
            Picked::Some { transactions, .. } => transactions.len(),
        }
    }

    /// Returns how many of them are below a transaction of the batch.
    fn below(&self, transaction: usize) -> usize {
        match self {
            Picked::First(transactions) => transaction.min(*transactions),
            Picked::Some { transactions, .. } => transactions.partition_point(|at| *at < transaction),
        }
    }

    fn rows<'a>(&'a self, job: &Job<'a>) -> Option<&'a [u32]> {
        match self {
            Picked::First(_) => job.rows,
            Picked::Some { rows, .. } => Some(rows),
        }
    }

    fn specialization_ids<'a>(&'a self, job: &Job<'a>) -> Option<SpecializationIds<'a>> {
        match self {
            Picked::First(_) => job.specialization_ids,
            Picked::Some { ids, .. } => job.specialization_ids.map(|of| SpecializationIds { in_batch: ids, ..of }),
        }
    }

    /// Returns the index in the batch of a transaction of the part.
    fn transaction(&self, at: usize) -> usize {
        match self {
            Picked::First(_) => at,
            Picked::Some { transactions, .. } => transactions[at],
        }
    }
}

/// Copies the results of a part to those that stay on the device.
fn leave_results(run_state: &RunState<'_>, part: &RunOutput, picked: &Picked) -> Result<(), Error> {
    let Some(stayed) = &run_state.stayed else { return Ok(()) };
    let run = part.status.transactions();
    let committed: Vec<usize> = (0..run).filter(|at| part.status[*at] == COMMITTED).collect();
    let mut words = memory::with_room(WHAT, committed.len() * run_state.job.results)?;
    for component in 0..run_state.job.results {
        words.extend(committed.iter().map(|at| part.results[component * run + at]));
    }
    let transactions: Vec<usize> = committed.iter().map(|at| picked.transaction(*at)).collect();
    Ok(stayed.put(&transactions, &words)?)
}

/// Adds the outcomes of a part to those of the batch.
fn merge(batch: &mut RunOutput, part: RunOutput, picked: &Picked) -> Result<(), Error> {
    let (transactions, run) = (batch.status.transactions(), part.status.transactions());
    if !part.detail.is_empty() && batch.detail.is_empty() {
        batch.detail = Details::zeroed(transactions)?;
    }
    for at in 0..run {
        let transaction = picked.transaction(at);
        batch.status[transaction] = part.status[at];
        if let Some(detail) = part.detail.get(at) {
            batch.detail[transaction] = *detail;
        }
        let components = if batch.results.is_empty() { 0 } else { part.results.len() / run };
        for component in 0..components {
            batch.results[component * transactions + transaction] = part.results[component * run + at];
        }
    }
    batch.history = part.history.or(batch.history.take());
    batch.postponements += part.postponements;
    batch.passes += part.passes;
    batch.conflicts.add(&part.conflicts);
    if let (Some(profile), Some(part)) = (&mut batch.profile, &part.profile) {
        profile.add(part);
    }
    batch.found.faster = part.found.faster.or(batch.found.faster);
    batch.unresolved_reason = part.unresolved_reason;
    batch.times.kernel += part.times.kernel;
    if batch.memory.total() == 0 {
        batch.memory = part.memory;
    }
    (batch.engine, batch.shape) = (part.engine, part.shape);
    Ok(())
}
