//! What keeps the suite from waiting for ever, and from running more at a time than a back end can.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// A cell that takes longer hangs: batches end by themselves long before, whatever their transactions do.
const HANGS_AFTER: Duration = Duration::from_secs(240);

/// The cells that run, and since when.
#[derive(Default)]
pub(crate) struct Watch(Mutex<Vec<(String, Instant)>>);

impl Watch {
    /// Starts the thread that ends the process if a cell hangs: the threads of a cell cannot be ended alone.
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

    /// Does the work under the eyes of that thread.
    pub(crate) fn during<T>(&self, name: &str, work: impl FnOnce() -> T) -> T {
        lock(&self.0).push((name.to_owned(), Instant::now()));
        let result = work();
        lock(&self.0).retain(|(other, _)| other != name);
        result
    }
}

/// Lets a limited number of threads through at a time.
pub(crate) struct Gate {
    free: Mutex<usize>,
    freed: Condvar,
}

impl Gate {
    /// For that many threads; for any number of them without a limit.
    pub(crate) fn new(limit: Option<usize>) -> Gate {
        Gate { free: Mutex::new(limit.unwrap_or(usize::MAX)), freed: Condvar::new() }
    }

    /// Does the work as soon as there is room. The work does not panic.
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
