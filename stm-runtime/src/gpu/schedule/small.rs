//! Batches that are too small for a launch. Where the user allows it, a core of the host runs them.

use std::time::Duration;

use super::place::Place;
use super::prediction::{self, MEASURED_DOUBT};
use super::remembered;
use crate::backend::{Job, Order};
use crate::gpu::memory::array::{ArrayPlace, GpuArray};
use crate::outcome::FallbackTimes;
use crate::tuning::Methods;

/// A run with one launch of a few transactions (one H100, docs/results).
const LAUNCH: Duration = Duration::from_micros(30);
/// The same on a core of the host (two cores of a virtual machine).
const START: Duration = Duration::from_micros(4);
/// The move of an array between host and device, whatever its size, and for each element.
const MOVE: Duration = Duration::from_micros(15);
const MOVE_ELEMENT: Duration = Duration::from_nanos(3);
/// What the move of an element to an array of CPU threads, or from there, takes.
const CELL: Duration = Duration::from_nanos(3);
/// Transactions after which the time is compared with what was predicted: as many threads of a device are not faster than one core of
/// the host, whatever the transactions do.
pub(crate) const PROBE: usize = 16;

/// Returns the predicted times of a batch, if the user allows that it runs on the host, and it takes less time there.
pub(crate) fn fallback(job: &Job<'_>) -> Option<FallbackTimes> {
    let was_slow = || remembered::slow(job).iter().any(|(place, _)| *place == Place::Host);
    let times = is_allowed(job).then(|| predicted(job, stay(job)))?;
    (times.on_host < times.on_device && !was_slow()).then_some(times)
}

/// Returns the same for the run itself. Each array notes how much faster the run would be where the array is not: once the runs at one place
/// have missed as much as a move takes, the move pays.
pub(crate) fn chosen(job: &Job<'_>) -> Option<FallbackTimes> {
    let fallback = fallback(job);
    if is_allowed(job) {
        let FallbackTimes { on_host, on_device } = stay(job);
        let (here, elsewhere) = if fallback.is_some() { (on_host, on_device) } else { (on_device, on_host) };
        let missed = (here.as_nanos() as i64 - elsewhere.as_nanos() as i64) / job.arrays.len().max(1) as i64;
        stores(job).for_each(|array| array.missed.add(mutant!("plan: an array stays where it came first", missed, 0)));
    }
    fallback
}

/// Returns whether the host may run the batch. Arguments that live on the device, and results that stay there, would have to travel.
fn is_allowed(job: &Job<'_>) -> bool {
    let is_planned = job.options.selection.methods().is_some_and(Methods::has_host);
    let needs_the_device = job.options.results_stay || job.columns.iter().any(|column| column.on_device().is_some());
    job.options.may_fall_back && is_planned && !needs_the_device && prediction::is_left_to_the_plan(job)
}

fn stores<'a>(job: &Job<'a>) -> impl Iterator<Item = &'a GpuArray> {
    job.arrays.iter().filter_map(|array| array.store())
}

/// Returns the predicted times of a batch whose arrays are where it runs.
fn stay(job: &Job<'_>) -> FallbackTimes {
    let rates = prediction::undisturbed(job);
    let of = |least: Duration, rate: f64| least + Duration::from_secs_f64(job.transactions as f64 / rate);
    FallbackTimes { on_host: of(START, rates.on_host), on_device: of(LAUNCH, rates.on_device) }
}

/// Adds the moves of the arrays.
fn predicted(job: &Job<'_>, stay: FallbackTimes) -> FallbackTimes {
    let FallbackTimes { mut on_host, mut on_device } = stay;
    for array in stores(job) {
        let times = |one: Duration| Duration::from_nanos((one.as_nanos() as u64).saturating_mul(array.len() as u64));
        let moved = |time: Duration| time.saturating_sub(array.missed.sum());
        match array.place() {
            ArrayPlace::Host => {
                on_host += times(CELL);
                on_device += MOVE + times(MOVE_ELEMENT);
            }
            ArrayPlace::Cores(_) => on_device += moved(MOVE + times(MOVE_ELEMENT) + times(CELL)),
            ArrayPlace::Device => {
                let moved = moved(MOVE + times(MOVE_ELEMENT) + times(CELL));
                on_host += mutant!("plan: an array leaves the device for nothing", moved, Duration::ZERO);
            }
        }
    }
    FallbackTimes { on_host, on_device }
}

/// Returns the rate, in transactions a second, below which [`PROBE`] transactions of a batch show that the rest belongs on the device; 0
/// for never. In push order the rest cannot go on elsewhere, and a checked run has one place.
pub(crate) fn floor(job: &Job<'_>, times: FallbackTimes) -> f64 {
    let left = job.transactions.saturating_sub(PROBE);
    if left == 0 || job.options.check || job.options.order == Order::Pushed {
        return 0.0;
    }
    let each = MEASURED_DOUBT * times.on_device.as_secs_f64() / left as f64;
    PROBE as f64 / (START.as_secs_f64() + PROBE as f64 * each)
}
