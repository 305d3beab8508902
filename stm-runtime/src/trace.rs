//! Spans and events for subscribers of the crate `tracing`. Without the feature of that name there are none, and a warning is a line of the
//! standard error.
//!
//! Everything a run does is on the thread that runs the batch, so the spans of its steps are inside that of the run.

use std::io::{self, Write};
use std::sync::Once;

/// The target of all spans and events, for filters.
#[cfg(feature = "tracing")]
pub(crate) const TARGET: &str = "gpu_transactions";

/// Opens a span that lasts until the end of the enclosing block. Values are computed only if somebody listens.
macro_rules! span {
    ($name:literal $($fields:tt)*) => {
        #[cfg(feature = "tracing")]
        let _span = tracing::debug_span!(target: $crate::trace::TARGET, $name $($fields)*).entered();
    };
}

/// Tells of something that a user may not expect: the subscriber, or else the standard error.
pub(crate) fn warning(text: &str) {
    #[cfg(feature = "tracing")]
    if tracing::dispatcher::has_been_set() {
        tracing::warn!(target: TARGET, "{text}");
        return;
    }
    // A failed write is ignored: an error about it could not be shown either.
    let _ = io::stderr().write_all(format!("gpu-transactions: {text}\n").as_bytes());
}

/// The same, but once in a process.
pub(crate) fn warning_once(told: &Once, text: &str) {
    #[cfg(feature = "tracing")]
    if tracing::dispatcher::has_been_set() {
        return warning(text);
    }
    told.call_once(|| warning(text));
}

/// Tells of a decision.
macro_rules! note {
    ($($text:tt)*) => {
        #[cfg(feature = "tracing")]
        tracing::info!(target: $crate::trace::TARGET, $($text)*);
    };
}

#[cfg(all(test, feature = "tracing", not(loom)))]
mod tests;
