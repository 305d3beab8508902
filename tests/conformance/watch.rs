//! Limits of the suite: a deadline for cells that hang, and the number of cells that a back end can run at a time.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// The time after which a cell hangs: batches end long before, whatever their transactions do.
const HANGS_AFTER: Duration = Duration::from_secs(240);

/// The running cells with their start times.
#[derive(Default)]
pub(crate) struct Watch(Mutex<Vec<(String, Instant)>>);

impl Watch {
    /// Starts the thread that ends the process if a cell hangs: the threads of one cell cannot be ended alone.
    pub(crate) fn start() -> Arc<Watch> {
        let watch = Arc::new(Watch::default());
        let seen = watch.clone();
        thread::spawn(move || {
            loop {
                thread::sleep(Duration::from_secs(1));
                if let Some((name, _)) = lock(&seen.0).iter().find(|(_, since)| since.elapsed() > HANGS_AFTER) {
                    eprintln!("FAILED {name}: it hangs; the suite ends here");
                    std::process::exit(101);
                }
            }
        });
        watch
    }

    /// Runs the work under that deadline.
    pub(crate) fn during<T>(&self, name: &str, work: impl FnOnce() -> T) -> T {
        lock(&self.0).push((name.to_owned(), Instant::now()));
        let result = work();
        lock(&self.0).retain(|(other, _)| other != name);
        result
    }
}

/// A gate that lets a limited number of threads run at a time.
pub(crate) struct Gate {
    free: Mutex<usize>,
    freed: Condvar,
}

impl Gate {
    /// Creates a gate for that many threads; for any number of them without a limit.
    pub(crate) fn new(limit: Option<usize>) -> Gate {
        Gate { free: Mutex::new(limit.unwrap_or(usize::MAX)), freed: Condvar::new() }
    }

    /// Runs the work as soon as there is room. The work does not panic.
    pub(crate) fn pass<T>(&self, work: impl FnOnce() -> T) -> T {
        let free = self.freed.wait_while(lock(&self.free), |free| *free == 0);
        *free.unwrap_or_else(PoisonError::into_inner) -= 1;
        let result = work();
        *lock(&self.free) += 1;
        self.freed.notify_one();
        result
    }
}

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
