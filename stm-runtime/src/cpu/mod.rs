//! Host execution: the user's own functions on CPU threads, or one at a time.
//!
//! Both are independent of the device's engines: there is one threaded engine, whatever engine was requested, and `serial` is the
//! reference executor inside a run.

mod algorithm;
mod backlog;
mod device;
#[cfg(all(test, loom))]
mod models;
mod parking;
mod pool;
mod prefetch;
mod queue;
mod queues;
mod room;
mod serial;
mod store;
mod team;
#[cfg(all(any(test, feature = "mutation"), not(loom)))]
pub(crate) mod tests;
mod threaded;
mod usage;
mod waiter;
mod worker;

pub(crate) use device::CpuDevice;

/// The unit tests of this folder for mutation testing.
#[cfg(all(feature = "mutation", not(loom)))]
pub(crate) const CASES: &[&[crate::mutation::Case]] = &[tests::CASES, queue::tests::CASES, queues::tests::CASES];
