//! Host execution: the user's own functions on CPU threads, or one at a time.
//!
//! Neither of them knows an engine of the device: there is one threaded engine, whatever was asked for, and `serial` is the
//! sequential executor.

mod attempt;
mod backlog;
mod crew;
mod lock;
#[cfg(all(test, loom))]
mod models;
mod parking;
mod queue;
mod queues;
mod room;
mod scout;
mod sequential;
mod serial;
mod sets;
mod stack;
mod team;
#[cfg(all(any(test, feature = "mutation"), not(loom)))]
pub(crate) mod tests;
mod threaded;
mod transactions;
mod turns;
mod worker;

use std::panic;
use std::thread;

use kernels_gen::device::Crew;

pub(crate) use attempt::{Attempt, Clock};
pub(crate) use lock::CpuArray;
pub(crate) use scout::Scout;
pub(crate) use sequential::{Ended, Oracle, Sequential};

use crate::engine::Engine;
use crate::error::Error;
use crate::inside;
use crate::job::{Job, RunOutput};
use crate::report::Algorithm;
use crate::threads::processors;
use stack::Stack;

/// CPU threads as a device.
#[derive(Debug)]
pub(crate) struct CpuDevice {
    threads: usize,
    /// Threads run one at a time, in an order that this chooses.
    seed: Option<u64>,
    /// One for all arrays of the device: versions of one array must not be ahead of another run's clock.
    clock: Clock,
}

impl CpuDevice {
    /// A device of that many threads; 0 for one a core. With a seed, they run one at a time.
    pub(crate) fn new(threads: usize, seed: Option<u64>) -> CpuDevice {
        CpuDevice { threads: if threads == 0 { processors() } else { threads }, seed, clock: Clock::default() }
    }

    /// How many threads it runs by default.
    pub(crate) fn threads(&self) -> usize {
        self.threads
    }

    /// What chooses the order of its threads, if they run one at a time.
    pub(crate) fn seed(&self) -> Option<u64> {
        self.seed
    }

    /// What runs where an engine is asked for.
    pub(crate) fn algorithm(engine: Engine) -> Algorithm {
        if is_sequential(engine) {
            Algorithm::CpuSerial { asked: engine }
        } else {
            Algorithm::CpuThreads { asked: engine }
        }
    }

    /// Runs a batch; `device` is its name.
    pub(crate) fn run(&self, device: &str, job: &Job<'_>) -> Result<RunOutput, Error> {
        let mut output = if is_sequential(job.options.selection.usual()) {
            serial::run(job)
        } else {
            let threads = job.options.threads.unwrap_or(self.threads);
            threaded::run(&self.clock, threads, self.seed, job)
        }?;
        output.tuning = job.options.selection.unmeasured(device, ONE_ALGORITHM);
        Ok(output)
    }
}

/// Runs functions of a job's transactions on a stack that has room for them: the caller's, or that of a thread of its own.
pub(crate) fn with_stack<T: Send>(job: &Job<'_>, work: impl FnOnce() -> T + Send) -> Result<T, Error> {
    let stack = Stack::of(job);
    if stack.suits_callers {
        return Ok(work());
    }
    thread::scope(|scope| {
        let inside = || {
            let _inside = inside::enter();
            work()
        };
        let other = thread::Builder::new().stack_size(stack.bytes).spawn_scoped(scope, inside);
        let other = other.map_err(|why| stack.refused(&why))?;
        Ok(other.join().unwrap_or_else(|panic| panic::resume_unwind(panic)))
    })
}

/// The engine that may use one thread only is the sequential one, here too.
fn is_sequential(engine: Engine) -> bool {
    engine.spec().crew == Crew::One
}

/// Why nothing is measured.
const ONE_ALGORITHM: &str = "not measured: CPU threads have one algorithm, whatever engine is asked for";
