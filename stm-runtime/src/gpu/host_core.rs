//! What is left of a batch, on one core of the host.
//!
//! Where nearly all transactions need the same few elements, they run one after the other on any device, and a core of the host is the
//! fastest place for that: it has the elements in its first cache. The arrays move to the host, and back when a device needs them.

use std::sync::Arc;

use crate::backend::{Array, ArrayShape, Backend, Functions, Granularity, Job, JobOptions, Resolved};
use crate::cpu::{CpuDevice, serial};
use crate::error::Error;
use crate::gpu::memory::array::GpuArray;
use crate::gpu::memory::transactions::is_finished;
use crate::gpu::schedule::run_state::RunState;
use crate::memory;
use crate::outcome::{COMMITTED, RunOutput, UnresolvedReason};
use crate::progress::Progress;

/// Transactions after which the rate is compared with the floor.
const PROBE: usize = 1 << 12;

/// The functions of another job.
struct Lent<'f>(&'f dyn Functions);

impl Functions for Lent<'_> {
    fn resolve<'a>(&self, job: &Job<'a>) -> Vec<Resolved<'a>> {
        self.0.resolve(job)
    }
}

/// The arrays of a job in memory of the host.
pub(super) struct HostCore(Vec<Array>);

impl HostCore {
    /// Copies the arrays of a job to the host.
    pub(super) fn new(job: &Job<'_>) -> Result<HostCore, Error> {
        let records = job.records();
        let mut arrays: Vec<Option<Array>> = vec![None; job.arrays.len()];
        for first in (0..records.len()).filter(|at| records[*at] == *at) {
            let of_record: Vec<usize> = (0..records.len()).filter(|at| records[*at] == first).collect();
            let components = of_record.iter().map(|at| component(&job.arrays[*at])).collect::<Result<Vec<_>, _>>()?;
            let shapes: Vec<ArrayShape> = components.iter().map(|(shape, _)| *shape).collect();
            let stores = CpuDevice::new(1, None).allocate(components, Granularity::Record)?;
            let device = job.arrays[first].device();
            let made = Array::of_components(device, shapes.into_iter().zip(stores), Granularity::Record);
            of_record.into_iter().zip(made).for_each(|(at, array)| arrays[at] = Some(array));
        }
        Ok(HostCore(arrays.into_iter().flatten().collect()))
    }

    /// Runs the transactions that are not finished, one after the other in the order of the batch. Returns the measured rate if that is
    /// below `floor`, and then has run only some. If it fails, the arrays of the device are as they were.
    pub(super) fn work(&self, run_state: &mut RunState<'_>, floor: f64) -> Result<Option<f64>, Error> {
        let mut measured = None;
        if floor > 0.0 {
            let pending = (0..run_state.job.transactions).filter(|at| !is_finished(run_state.output.status[*at]));
            let end = pending.skip(PROBE).next().unwrap_or(run_state.job.transactions);
            let rate = self.run(run_state, end)?;
            measured = (rate < floor).then_some(rate);
        }
        let is_over = run_state.output.unresolved_reason != UnresolvedReason::GuardNeverHeld;
        if measured.is_none() && !is_over {
            self.run(run_state, run_state.job.transactions)?;
        }
        for (array, of_host) in run_state.job.arrays.iter().zip(&self.0) {
            let store: &GpuArray = array.store().expect("arrays of a device's batch are on it");
            store.replace(of_host.words()?);
        }
        Ok(measured.filter(|_| !is_over))
    }

    /// Runs what is not finished of the transactions before `end`. Returns how many a second; one that waits counts, too.
    fn run(&self, run_state: &mut RunState<'_>, end: usize) -> Result<f64, Error> {
        let (job, finished) = (run_state.job, run_state.finished);
        let time_limit = job.options.time_limit.map(|limit| run_state.within_limit(limit));
        let progress = job.options.progress.clone().map(|tell| -> Arc<dyn Fn(Progress) + Send + Sync> {
            Arc::new(move |part: Progress| tell(Progress { finished: finished + part.finished, ..part }))
        });
        let options = JobOptions { time_limit, progress, ..job.options.clone() };
        let on_host = Job {
            arrays: &self.0,
            options: &options,
            printer: job.printer.clone(),
            functions: Box::new(Lent(&*job.functions)),
            transactions: end,
            ..*job
        };
        let before = &mut run_state.output;
        let rest = serial::run_rest(&on_host, &|at| is_finished(before.status[at]))?;
        let count =
            |is_meant: &dyn Fn(u8) -> bool| rest.status.iter().filter(|status| is_meant(**status)).count() as u64;
        let (finished, committed) = (count(&is_finished), count(&|status| status == COMMITTED));
        let rate = (finished + rest.postponements) as f64 / rest.times.kernel.as_secs_f64().max(1e-9);
        merge(before, rest)?;
        run_state.finished += finished;
        run_state.committed += committed;
        Ok(rate)
    }
}

/// Returns the shape and the words of an array.
fn component(array: &Array) -> Result<(ArrayShape, Vec<u64>), Error> {
    let (scalar, len, part) = (array.scalar(), array.len(), array.part());
    Ok((ArrayShape { scalar, len, part, coverage_log2: array.coverage_log2() }, array.words()?))
}

/// Adds the outcomes of transactions that ran on the host to those that were there.
fn merge(before: &mut RunOutput, rest: RunOutput) -> Result<(), Error> {
    let (transactions, run) = (before.status.len(), rest.status.len());
    if !rest.detail.is_empty() && before.detail.is_empty() {
        before.detail = memory::zeroed("outcomes", transactions)?;
    }
    for at in (0..run).filter(|at| is_finished(rest.status[*at])) {
        before.status[at] = rest.status[at];
        if !rest.detail.is_empty() {
            before.detail[at] = rest.detail[at];
        }
        for component in 0..rest.results.len() / run {
            before.results[component * transactions + at] = rest.results[component * run + at];
        }
    }
    before.history = rest.history.or(before.history.take());
    before.postponements += rest.postponements;
    before.passes += rest.passes;
    before.unresolved_reason = rest.unresolved_reason;
    before.times.kernel += rest.times.kernel;
    (before.engine, before.shape) = (rest.engine, rest.shape);
    Ok(())
}
