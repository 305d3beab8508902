//! The calls of the sequence that runs now, and a watch on the time that each step takes.

use std::io::Write;
use std::process;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// How often the watch looks.
const LOOK: Duration = Duration::from_millis(200);
/// Transactions of a batch that are noted one by one.
const DETAILED: usize = 12;

/// What the sequence has done.
pub(crate) struct Log {
    lines: Mutex<Vec<String>>,
    /// Prints each line before the call is made.
    prints: bool,
    begin: Instant,
    /// When the step began, in milliseconds.
    since: AtomicU64,
}

impl Log {
    /// A log, and a thread that ends the process when one step takes longer than `patience`.
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

    /// Forgets the lines of the last sequence.
    pub(crate) fn clear(&self) {
        self.lines.lock().unwrap_or_else(PoisonError::into_inner).clear();
        self.step();
    }

    /// A step begins.
    pub(crate) fn step(&self) {
        self.since.store(self.now(), Ordering::Relaxed);
    }

    /// Notes a call that is about to be made.
    pub(crate) fn note(&self, line: String) {
        if self.prints {
            println!("{line}");
            let _ = std::io::stdout().flush();
        }
        self.lines.lock().unwrap_or_else(PoisonError::into_inner).push(line);
    }

    /// Notes the first of many.
    pub(crate) fn note_detail(&self, number: usize, line: impl FnOnce() -> String) {
        if number < DETAILED {
            self.note(line());
        }
    }

    /// All lines.
    pub(crate) fn text(&self) -> String {
        self.lines.lock().unwrap_or_else(PoisonError::into_inner).join("\n")
    }
}
