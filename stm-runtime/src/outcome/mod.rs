//! What became of transactions, and what a run measured: plain data that knows no device, batch or report.

pub(crate) mod history;
mod output;
mod parts;
mod phases;
mod status;

pub(crate) use history::{Entry, History};
pub(crate) use output::RunOutput;
pub(crate) use parts::write_call;
pub use parts::{Conflicts, Fault, LocationConflicts, Memory, Outcome, Times, Unresolved, UnresolvedReason};
pub use phases::Phases;
pub(crate) use status::{
    COMMITTED, CONFLICTED, FAULTED, LOCATION_BITS, NO_LOCATION, PENDING, POSTPONED, REJECTED, fault_detail,
};
