//! What earlier runs of a batch have found out: what its transactions ask of a place, as a sample takes about as long as the smallest
//! batch, and which places were too slow. A plan that the user has loaded says what runs of another process have found.

use std::time::Duration;

use super::place::Place;
use super::prediction::Demand;
use crate::backend::Job;
use crate::columns::Column;
use crate::device_cells::DeviceCells;
use crate::tuning::{Found, Slow};

/// Runs of batches whose arguments are all computed for which one sample is enough: most of them differ in a number of a step alone.
const RUNS: u32 = 32;

/// What a run has found.
struct KnownBatch {
    calls: Vec<u64>,
    demand: Demand,
    /// The places that were left, with the transactions a second there.
    slow: Vec<(Place, f64)>,
    /// The time of the launches that executed all of them, on the threads of the first one; 0 where that is not known.
    took: Duration,
    /// How many later runs may use it.
    left: u32,
}

/// Returns what the transactions of a job ask of a place.
pub(crate) fn demand(job: &Job<'_>) -> Demand {
    let calls = calls(job);
    let known = job.memo.with(|memo| {
        let found = memo.as_mut().filter(|found: &&mut KnownBatch| found.calls == calls && found.left > 0)?;
        found.left -= 1;
        Some(found.demand)
    });
    known.unwrap_or_else(|| {
        let demand = Demand::of(job);
        job.memo.with(|memo| {
            *memo = Some(KnownBatch { calls, demand, slow: saved_slow(job), took: saved(job).launches, left: RUNS - 1 })
        });
        demand
    })
}

/// Returns whether that is known of an earlier run.
pub(crate) fn is_known(job: &Job<'_>) -> bool {
    let calls = calls(job);
    job.memo
        .with(|memo: &mut Option<KnownBatch>| memo.as_ref().is_some_and(|found| found.calls == calls && found.left > 0))
}

/// Remembers that a place was left at that rate.
pub(crate) fn leave(job: &Job<'_>, place: Place, rate: f64) {
    let calls = calls(job);
    job.memo.with(|memo: &mut Option<KnownBatch>| {
        memo.iter_mut().filter(|found| found.calls == calls).for_each(|found| found.slow.push((place, rate)));
    });
}

/// Returns the places that earlier runs of a job have left, with their rates.
pub(crate) fn slow(job: &Job<'_>) -> Vec<(Place, f64)> {
    of(job, |found| found.slow.clone()).unwrap_or_else(|| saved_slow(job))
}

/// Returns what is remembered as another process can use it.
pub(crate) fn found(job: &Job<'_>) -> Found {
    let slow = slow(job).into_iter().map(|(place, rate)| Slow { method: place.method(), rate });
    Found { slow: slow.collect(), launches: time(job), faster: None }
}

/// Remembers how long the launches took that executed all transactions.
pub(crate) fn note_time(job: &Job<'_>, took: Duration) {
    let calls = calls(job);
    job.memo.with(|memo: &mut Option<KnownBatch>| {
        memo.iter_mut().filter(|found| found.calls == calls).for_each(|found| found.took = took);
    });
}

/// Returns how long the launches of an earlier run took; 0 where that is not known.
pub(crate) fn time(job: &Job<'_>) -> Duration {
    of(job, |found| found.took).unwrap_or_else(|| saved(job).launches)
}

/// Returns what is remembered of a job, if it ran before.
fn of<T>(job: &Job<'_>, get: impl FnOnce(&KnownBatch) -> T) -> Option<T> {
    let calls = calls(job);
    job.memo.with(|memo: &mut Option<KnownBatch>| memo.as_ref().filter(|found| found.calls == calls).map(get))
}

/// Returns what runs of another process have found.
fn saved(job: &Job<'_>) -> Found {
    job.options.selection.saved().map(|saved| saved.found(job.transactions)).unwrap_or_default()
}

fn saved_slow(job: &Job<'_>) -> Vec<(Place, f64)> {
    saved(job).slow.iter().map(|slow| (Place::of(slow.method), slow.rate)).collect()
}

/// Returns numbers that are the same for batches with the same transactions, or whose transactions are computed by the same procedures on
/// arrays of the same lengths. Columns of the device count by the memory that they have.
fn calls(job: &Job<'_>) -> Vec<u64> {
    let are_there = job.columns.iter().all(Column::is_there);
    let batch = if are_there { u64::MAX } else { job.content.batch };
    let batch = mutant!("plan: a sample of other transactions counts", batch, u64::MAX);
    let mut calls = vec![job.transactions as u64, batch];
    calls.extend(job.columns.iter().filter_map(Column::on_device).flat_map(DeviceCells::identity));
    calls.extend(job.procedures.iter().map(|procedure| std::ptr::from_ref(procedure.spec).addr() as u64));
    calls.extend(job.arrays.iter().map(|array| array.len() as u64));
    calls.extend(job.records().iter().map(|first| *first as u64));
    for of in job.specializations {
        calls.push(of.procedure as u64);
        calls.extend(of.arrays.iter().map(|array| *array as u64));
    }
    calls
}

#[cfg(all(any(test, feature = "mutation"), not(loom)))]
pub(crate) mod tests {
    use std::iter::repeat_n;

    use super::*;
    use crate::backend::JobOptions;
    use crate::data::arrays;
    use crate::test_procedures::deposit;
    use crate::{Batch, Columns, Device, IntoColumn, Shared};

    hunted! { a_sample_is_for_the_same_transactions }

    fn key<'a>(
        mut batch: Batch<'a>,
        accounts: &Shared<i64>,
        to: impl IntoColumn<'a, u32>,
        amount: impl IntoColumn<'a, i64>,
    ) -> (Vec<u64>, Batch<'a>) {
        let columns = Columns::<(), 1>::new(deposit::procedure(), arrays(|list| list.add(accounts)));
        batch.push_columns(columns.values("to", to).values("amount", amount)).unwrap();
        let key = calls(&batch.job(&JobOptions::default()));
        (key, batch)
    }

    #[cfg_attr(test, test)]
    fn a_sample_is_for_the_same_transactions() {
        let device = Device::cpu(1);
        let [few, many] = [4, 9].map(|count| device.shared(&vec![0_i64; count]).unwrap());
        let (listed, batch) = key(device.batch(), &few, vec![1; 5], vec![1; 5]);
        assert_eq!(listed, calls(&batch.job(&JobOptions::default())), "it runs again");
        let (other, batch) = key(batch.cleared(), &few, vec![2; 5], vec![1; 5]);
        assert_ne!(listed, other);
        let (computed, batch) = key(batch.cleared(), &few, 0..5, repeat_n(1, 5));
        let (next, batch) = key(batch.cleared(), &few, 7..12, repeat_n(2, 5));
        assert_eq!(computed, next, "another step");
        let (longer, batch) = key(batch.cleared(), &few, 0..6, repeat_n(1, 6));
        let (of_many, _) = key(batch.cleared(), &many, 0..5, repeat_n(1, 5));
        assert!(computed != longer && computed != of_many);
        let (_, batch) = key(device.batch(), &few, 0..5, repeat_n(1, 5));
        let options = JobOptions::default();
        let job = batch.job(&options);
        for left in (0..RUNS).rev().chain([RUNS - 1]) {
            demand(&job);
            assert_eq!(
                job.memo.with(|memo: &mut Option<KnownBatch>| memo.as_ref().map(|found| found.left)),
                Some(left)
            );
        }
        leave(&job, Place::Host, 5.0);
        note_time(&job, Duration::from_millis(3));
        assert_eq!(time(&job), Duration::from_millis(3));
        assert_eq!(time(&batch.job(&JobOptions::default())), Duration::from_millis(3), "it runs again");
        assert_eq!(slow(&job), [(Place::Host, 5.0)]);
        for _ in 0..RUNS {
            demand(&job);
        }
        assert_eq!((slow(&job), time(&job)), (vec![], Duration::ZERO), "a new sample, and all places anew");
    }
}
