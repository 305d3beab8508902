//! The two algorithms of CPU threads, and their names in reports.

use crate::backend::Job;
use crate::engine::Engine;

/// The name of the threaded engine.
pub(super) const THREADED: &str = "cpu-tl2";
/// The name of the reference executor.
pub(super) const SERIAL: &str = "cpu-serial";

/// The engine that may use one thread only is the sequential one, here too.
pub(super) fn is_sequential(engine: Engine) -> bool {
    engine.spec().is_sequential()
}

/// What ran, and what was asked for.
pub(super) fn engine_name(ran: &str, job: &Job<'_>) -> String {
    format!("{ran} (asked: {})", job.options.selection)
}
