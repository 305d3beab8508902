//! The report of a batch for users.

mod build;
mod columns;
mod hottest;
mod listed;
mod plan;
mod profile;
mod summary;
mod text;

pub(crate) use build::{Input, build, empty};
pub use plan::Plan;
pub use summary::Report;
pub(crate) use summary::result_type;
pub(crate) use text::bytes;

pub use crate::outcome::{
    Algorithm, Compilation, CompileTimes, ConflictProfile, Conflicts, ElementConflicts, FallbackTimes, Fault, GpuShape,
    HolderConflicts, HotElement, LISTED, LaunchShape, LocationConflicts, Memory, Origin, Outcome, Phases, PlanReason,
    PlanStep, ProcedureConflicts, Status, Times, Unresolved, UnresolvedReason,
};
