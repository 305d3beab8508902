//! What became of transactions, and what a run measured: plain data that knows no device, batch or report.

pub(crate) mod history;
mod launch;
mod output;
mod parts;
mod phases;
mod status;
mod transaction;

pub(crate) use history::{Entry, History};
pub use launch::{Algorithm, GpuShape, LaunchShape};
pub(crate) use output::RunOutput;
pub(crate) use parts::write_call;
pub use parts::{Conflicts, Fault, LocationConflicts, Memory, Times, Unresolved, UnresolvedReason};
pub use phases::Phases;
pub(crate) use status::{
    COMMITTED, CONFLICTED, FAULTED, LOCATION_BITS, NO_LOCATION, PENDING, POSTPONED, REJECTED, fault_detail,
};
pub use transaction::Outcome;
