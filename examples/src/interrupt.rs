//! Ctrl-C, which ends a program with its report.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::remark;

/// Interrupts closer together than this count as one.
const SAME_INTERRUPT: Duration = Duration::from_millis(500);

/// Returns a flag that Ctrl-C sets, so that the run ends and is reported. A second Ctrl-C ends the program at once, unless it is
/// the same one: a signal to a process and to its group arrives twice.
#[must_use]
pub fn stop_on_interrupt(program: &str) -> Arc<AtomicBool> {
    let stop = Arc::new(AtomicBool::new(false));
    let flag = stop.clone();
    let mut first: Option<Instant> = None;
    let handler = move || {
        flag.store(true, Ordering::Relaxed);
        if first.get_or_insert_with(Instant::now).elapsed() > SAME_INTERRUPT {
            std::process::exit(130);
        }
    };
    if let Err(why) = ctrlc::set_handler(handler) {
        remark(format_args!("{program}: Ctrl-C will end the program without a report: {why}"));
    }
    stop
}
