//! Host execution: the user's own functions on CPU threads, or one at a time.
//!
//! Both are independent of the device's engines: there is one threaded engine, whatever engine was requested, and `serial` is the
//! reference executor inside a run. Where no engine was requested, a plan chooses between them, slice by slice.

mod algorithm;
mod at_rest;
mod backlog;
mod claimed;
mod device;
mod holders;
mod kinds;
#[cfg(all(test, loom))]
mod models;
mod pace;
mod parking;
mod planned;
mod pool;
mod prefetch;
mod queue;
mod queues;
mod recorder;
mod room;
mod rounds;
mod run;
mod serial;
mod stage;
mod state;
mod statistics;
mod store;
mod supply;
mod team;
#[cfg(all(any(test, feature = "mutation"), not(loom)))]
pub(crate) mod tests;
mod threaded;
mod usage;
mod waiter;
mod worker;

pub(crate) use device::{CpuDevice, Teamwork};

/// The unit tests of this folder for mutation testing.
#[cfg(all(feature = "mutation", not(loom)))]
pub(crate) const CASES: &[&[crate::mutation::Case]] = &[
    tests::CASES,
    pace::tests::CASES,
    queue::tests::CASES,
    queues::tests::CASES,
    rounds::tests::CASES,
    supply::tests::CASES,
];
