//! Spans and events for subscribers of the crate `tracing`; nothing without the feature of that name.
//!
//! Everything a run does is on the thread that runs the batch, so the spans of its steps are inside that of the run.

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

/// Tells of something that a user may not expect.
macro_rules! warning {
    ($($text:tt)*) => {
        #[cfg(feature = "tracing")]
        tracing::warn!(target: $crate::trace::TARGET, $($text)*);
    };
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
