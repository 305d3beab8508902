//! For tests: a device of one CPU thread whose runs wait for the test, which says how each ends.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::task::{Wake, Waker};
use std::thread::{self, Thread};

use crate::backend::{Ahead, ArrayShape, ArrayStore, Backend, Granularity, Job, JobOptions};
use crate::cpu::{CpuDevice, Teamwork};
use crate::engine::Engine;
use crate::memory::NoMemory;
use crate::outcome::{Algorithm, RunOutput};
use crate::{Device, Error};

/// What the next run does.
pub(super) enum Next {
    Runs,
    Fails,
    Panics,
    /// It panics, and so does what takes the panic for an error.
    Explodes,
}

/// Returns the device, and what lets its runs begin. Once that is dropped, all of them run.
pub(super) fn gated() -> (Device, Sender<Next>) {
    let (device, next, _) = overlapping(1);
    (device, next)
}

/// Returns the same for that many batches under way, and what says when a run has gone ahead.
pub(super) fn overlapping(under_way: usize) -> (Device, Sender<Next>, Receiver<()>) {
    let ((next, gate), (gone, ahead)) = (channel(), channel());
    let gated = Gated { cpu: CpuDevice::new(1, Teamwork::Free), under_way, gate: Mutex::new(gate), gone };
    (Device::new(gated, "for tests".into()), next, ahead)
}

/// The error of a run that fails.
pub(super) fn failure() -> Error {
    Error::HostMemory { what: "a test", bytes: 7 }
}

/// A panic that panics again when it is dropped.
struct Bomb;

impl Drop for Bomb {
    fn drop(&mut self) {
        panic!("as asked");
    }
}

struct Gated {
    cpu: CpuDevice,
    under_way: usize,
    gate: Mutex<Receiver<Next>>,
    gone: Sender<()>,
}

impl Backend for Gated {
    fn describe(&self) -> String {
        self.cpu.describe()
    }

    fn is_gpu(&self) -> bool {
        self.cpu.is_gpu()
    }

    fn algorithm(&self, engine: Engine) -> Algorithm {
        self.cpu.algorithm(engine)
    }

    fn allocate(&self, shapes: &[ArrayShape], granularity: Granularity) -> Result<Vec<Box<dyn ArrayStore>>, NoMemory> {
        self.cpu.allocate(shapes, granularity)
    }

    fn check(&self, options: &JobOptions) -> Result<(), Error> {
        assert!(!options.stop.is_set(), "stopped before it began");
        self.cpu.check(options)
    }

    fn compile(&self, job: &Job<'_>) -> Result<(), Error> {
        self.cpu.compile(job)
    }

    fn under_way(&self) -> usize {
        self.under_way
    }

    fn go_ahead(&self, _: &Job<'_>) -> Ahead {
        // Whether the test listens is its own affair.
        let _ = self.gone.send(());
        None
    }

    fn run(&self, job: &Job<'_>, ahead: Ahead) -> Result<RunOutput, Error> {
        let next = self.gate.lock().unwrap_or_else(PoisonError::into_inner).recv();
        match next.unwrap_or(Next::Runs) {
            Next::Runs => self.cpu.run(job, ahead),
            Next::Fails => Err(failure()),
            Next::Panics => panic!("as asked"),
            Next::Explodes => std::panic::panic_any(Bomb),
        }
    }
}

/// Returns the value of a future, which this thread waits for.
pub(super) fn block_on<F: Future + Unpin>(mut future: F) -> F::Output {
    struct Unpark(Thread);
    impl Wake for Unpark {
        fn wake(self: std::sync::Arc<Self>) {
            self.0.unpark();
        }
    }
    let waker = Waker::from(std::sync::Arc::new(Unpark(thread::current())));
    let mut context = std::task::Context::from_waker(&waker);
    loop {
        match std::pin::Pin::new(&mut future).poll(&mut context) {
            std::task::Poll::Ready(value) => return value,
            std::task::Poll::Pending => thread::park(),
        }
    }
}

#[crate::prelude::gpu_transaction]
pub(super) fn add(tx: &mut crate::Tx, cells: &crate::Shared<i64>, at: u32, by: i64) -> crate::TxResult<i64> {
    tx.update(cells, at, |old| old + by)?;
    tx.read(cells, at)
}

/// Makes an element ten times as large and adds a digit, so that the order of calls shows.
#[crate::prelude::gpu_transaction]
pub(super) fn append(tx: &mut crate::Tx, cells: &crate::Shared<i64>, at: u32, digit: i64) -> crate::TxResult {
    tx.update(cells, at, |old| 10 * old + digit)
}

/// Waits for a value.
#[crate::prelude::gpu_transaction]
pub(super) fn await_value(tx: &mut crate::Tx, cells: &crate::Shared<i64>, at: u32, value: i64) -> crate::TxResult {
    let found = tx.read(cells, at)?;
    tx.guard(found == value)
}
