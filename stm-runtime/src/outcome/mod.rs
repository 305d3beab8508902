//! The outcomes of transactions, and the measurements of a run: plain data, independent of devices, batches and reports.

mod compilation;
mod filling;
pub(crate) mod history;
mod hottest;
mod kept;
mod launch;
mod output;
mod parts;
mod phases;
mod plan;
mod profile;
mod statuses;
mod tally;
mod transaction;

pub use compilation::{Compilation, CompileTimes, Origin};
pub(crate) use filling::AtomicOutcomes;
pub(crate) use history::{Entry, History};
pub use hottest::HotElement;
pub(crate) use kept::Details;
pub(crate) use kernels_gen::abi::detail::NO_LOCATION;
pub(crate) use kernels_gen::abi::status::{COMMITTED, CONFLICTED, FAULTED, PENDING, POSTPONED, REJECTED};
pub use launch::{Algorithm, GpuShape, LaunchShape};
pub(crate) use output::RunOutput;
pub(crate) use parts::write_call;
pub use parts::{Conflicts, Fault, LISTED, LocationConflicts, Memory, Times, Unresolved, UnresolvedReason};
pub use phases::Phases;
pub use plan::{FallbackTimes, PlanReason, PlanStep};
pub use profile::{ConflictProfile, ElementConflicts, HolderConflicts, ProcedureConflicts};
pub(crate) use profile::{ElementCounts, ProfileCounts};
pub(crate) use statuses::Statuses;
pub(crate) use tally::{TOGETHER, Tally};
pub use transaction::{Outcome, Status};

/// The unit tests for mutation testing.
#[cfg(feature = "mutation")]
pub(crate) const CASES: &[crate::mutation::Case] = statuses::tests::CASES;
