//! What became of a batch, as users read it.

mod build;
mod hottest;
mod summary;
mod text;

pub(crate) use build::{Input, build, empty};
pub use summary::Report;

pub use crate::outcome::{
    Algorithm, Conflicts, Fault, GpuShape, HotElement, LISTED, LaunchShape, LocationConflicts, Memory, Outcome, Phases,
    Times, Unresolved, UnresolvedReason,
};
