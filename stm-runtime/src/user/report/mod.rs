//! What became of a batch, as users read it.

mod build;
mod summary;
mod text;

pub(crate) use build::{Input, build, empty};
pub use summary::{LISTED, Report};

pub use crate::outcome::{
    Algorithm, Conflicts, Fault, GpuShape, LaunchShape, LocationConflicts, Memory, Outcome, Phases, Times, Unresolved,
    UnresolvedReason,
};
