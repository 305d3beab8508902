//! How the engine of a batch is chosen: what is asked for, and what a measured tuning gives.

mod encoding;
mod file;
mod result;
mod selection;
mod text;

pub use result::{TrialStatus, Tuning, TuningTrial};
pub(crate) use selection::Selected;
pub use selection::Selection;
