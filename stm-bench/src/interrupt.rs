//! Ctrl-C: the first ends a sweep after the run under way, the second ends the program.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::output::remark;

/// Interrupts closer together than this count as one: a signal to a process and to its group arrives twice.
const SAME: Duration = Duration::from_millis(500);
/// The status that shells report for a program that Ctrl-C ended.
pub(crate) const INTERRUPTED: u8 = 130;

/// Whether the user requested to stop.
#[derive(Debug, Clone, Default)]
pub(crate) struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Listens for Ctrl-C from now on.
    pub(crate) fn on_interrupt() -> Stop {
        let stop = Stop::default();
        let asked = stop.clone();
        let mut first: Option<Instant> = None;
        let handler = move || {
            asked.ask();
            match first.get_or_insert_with(Instant::now).elapsed() {
                since if since > SAME => std::process::exit(INTERRUPTED.into()),
                _ => remark(format_args!("ends after this run; press Ctrl-C again to end at once")),
            }
        };
        // A program with its own handler keeps it.
        let _ = ctrlc::set_handler(handler);
        stop
    }

    pub(crate) fn ask(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    pub(crate) fn is_asked(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
