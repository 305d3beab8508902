//! How many transactions a second a place will run, by what is known of a batch before it runs.
//!
//! Two numbers decide: how many transactions can run at a time, because no two of them need the same element, and how long an element
//! is in use by one transaction before the next one gets it. The second depends on the place.

use std::time::Duration;

use super::{geometry, sample};
use crate::backend::Job;

/// From the lock of an element in device memory to the next one by another thread, with what happens meanwhile (one H200, transfers on
/// 16 to 1,000 accounts, docs/results).
const DEVICE_HAND_OVER: Duration = Duration::from_micros(2);
/// What each access after the second adds to that: a transaction with many accesses has its elements for longer.
const DEVICE_ACCESS: Duration = Duration::from_nanos(200);
/// Accesses a second of a whole device.
const DEVICE_ACCESSES: f64 = 30e9;
/// The same where each is listed and sorted before; each transaction counts as two more (YCSB and transfers, one H200, docs/results).
const IN_ORDER_ACCESSES: f64 = 4e9;
/// The time of a transaction on a core of the host, and of each of its accesses.
const HOST_TRANSACTION: Duration = Duration::from_nanos(6);
const HOST_ACCESS: Duration = Duration::from_nanos(2);
/// The most bytes of all arrays for which a core of the host is considered: they fit into its own cache.
const HOST_BYTES: u64 = 1 << 20;

/// How much slower than the prediction of another place a place has to be before it is left: predictions are not exact, and no place
/// is as fast as predicted where most guards are false.
pub(super) const DOUBT: f64 = 8.0;

/// What the transactions of a batch ask of a place.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Demand {
    /// Transactions that can run at a time.
    at_once: f64,
    /// The same, by the hottest element of a sample alone.
    hottest: f64,
    /// Accesses of a transaction, at most.
    accesses: f64,
}

impl Demand {
    pub(crate) fn of(job: &Job<'_>) -> Demand {
        let hottest = sample::at_once(job).max(1.0);
        let at_once = geometry::disjoint(job).unwrap_or(f64::INFINITY).min(hottest);
        Demand { at_once, hottest, accesses: job.footprint().max(1) as f64 }
    }

    /// Returns whether that many threads would wait for the hottest element.
    pub(crate) fn is_hot(self, threads: u64) -> bool {
        self.hottest < threads as f64
    }

    /// Returns the transactions a second on the whole device.
    pub(crate) fn on_device(self) -> f64 {
        let held = DEVICE_HAND_OVER.as_secs_f64() + (self.accesses - 2.0).max(0.0) * DEVICE_ACCESS.as_secs_f64();
        (self.at_once / held).min(DEVICE_ACCESSES / self.accesses)
    }

    /// Returns the same where they run in order and none of them waits.
    pub(crate) fn in_order(self) -> f64 {
        IN_ORDER_ACCESSES / (self.accesses + 2.0)
    }

    /// Returns the transactions a second on one core of the host.
    pub(crate) fn on_host(self) -> f64 {
        1.0 / (HOST_TRANSACTION.as_secs_f64() + self.accesses * HOST_ACCESS.as_secs_f64())
    }
}

/// Returns whether a core of the host may run what the user left to the plan: nothing in the options is about a device.
pub(crate) fn may_run_on_host(job: &Job<'_>) -> bool {
    let options = job.options;
    let is_open = options.threads.is_none()
        && options.lanes.is_none()
        && options.block_memory.is_none()
        && options.chunk_size.is_none()
        && options.pass_limit.is_none()
        && !options.profile
        && !options.phases;
    let bytes = job.arrays.iter().map(|array| (array.len() * array.scalar().size()) as u64).sum::<u64>();
    is_open && bytes <= HOST_BYTES
}
