//! The early end of a run.

use kernels_gen::fault::FaultCode;

/// The reason why a run ended before its `return`.
#[derive(Debug)]
pub(super) enum Stop {
    Rejected(u32),
    Faulted(FaultCode, u32),
    Postponed,
    Broken(String),
}

pub(super) type Done<T> = Result<T, Stop>;

/// Returns the error for a form without a meaning.
pub(super) fn broken<T>(what: impl Into<String>) -> Done<T> {
    Err(Stop::Broken(what.into()))
}
