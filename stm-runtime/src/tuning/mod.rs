//! The choice of a batch's engine: the selection, and the result of a measured tuning.

pub(crate) mod encoding;
mod file;
mod methods;
mod result;
mod saved;
mod selection;
mod text;

pub(crate) use file::{InFile, load, save};
pub use methods::Methods;
pub(crate) use methods::{at_rest, on_host};
pub use result::{TrialStatus, Tuning, TuningTrial};
pub(crate) use saved::{Found, PlannedBatch, SavedPlan, Slow};
pub(crate) use selection::Selected;
pub use selection::Selection;
