//! The calls of the current sequence, and a timer for the duration of each step.

use std::io::Write;
use std::process;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// The interval at which the timer checks.
const LOOK: Duration = Duration::from_millis(200);
/// The number of transactions of a batch that are logged individually.
const DETAILED: usize = 12;

/// The log of a sequence.
pub(crate) struct Log {
    lines: Mutex<Vec<String>>,
    /// Whether each line is printed before the call is made.
    prints: bool,
    begin: Instant,
    /// The start of the current step, in milliseconds.
    since: AtomicU64,
}

impl Log {
    /// Returns a log, and starts a thread that ends the process when one step takes longer than `patience`.
    pub(crate) fn watched(prints: bool, patience: Duration) -> Arc<Log> {
        let log = Arc::new(Log { lines: Mutex::default(), prints, begin: Instant::now(), since: AtomicU64::new(0) });
        let watched = log.clone();
        thread::spawn(move || {
            loop {
                thread::sleep(LOOK);
                if watched.step_time() > patience {
                    eprintln!("{}\nHANG: the last call has not returned for {patience:?}", watched.text());
                    process::abort();
                }
            }
        });
        log
    }

    fn now(&self) -> u64 {
        self.begin.elapsed().as_millis() as u64
    }

    fn step_time(&self) -> Duration {
        Duration::from_millis(self.now().saturating_sub(self.since.load(Ordering::Relaxed)))
    }

    /// Clears the lines of the last sequence.
    pub(crate) fn clear(&self) {
        self.lines.lock().unwrap_or_else(PoisonError::into_inner).clear();
        self.step();
    }

    /// Starts the timer of a step.
    pub(crate) fn step(&self) {
        self.since.store(self.now(), Ordering::Relaxed);
    }

    /// Logs a call that is about to be made.
    pub(crate) fn note(&self, line: String) {
        if self.prints {
            println!("{line}");
            let _ = std::io::stdout().flush();
        }
        self.lines.lock().unwrap_or_else(PoisonError::into_inner).push(line);
    }

    /// Logs a transaction, if it is among the first of many.
    pub(crate) fn note_detail(&self, number: usize, line: impl FnOnce() -> String) {
        if number < DETAILED {
            self.note(line());
        }
    }

    /// Returns all lines.
    pub(crate) fn text(&self) -> String {
        self.lines.lock().unwrap_or_else(PoisonError::into_inner).join("\n")
    }
}
