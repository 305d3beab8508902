//! Measures steps.

use std::time::{Duration, Instant};

/// Runs a step and adds its time to `to`.
pub(crate) fn timed<T>(to: &mut Duration, step: impl FnOnce() -> T) -> T {
    let begin = Instant::now();
    let result = step();
    *to += begin.elapsed();
    result
}
