//! Host execution: the user's own functions on CPU threads, or one at a time.
//!
//! Neither of them knows an engine of the device: there is one threaded engine, whatever was asked for, and `serial` is the
//! reference executor with a run around it.

mod algorithm;
mod backlog;
mod device;
#[cfg(all(test, loom))]
mod models;
mod outcomes;
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
