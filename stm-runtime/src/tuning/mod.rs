//! The choice of a batch's engine: the selection, and the result of a measured tuning.

mod encoding;
mod file;
mod methods;
mod result;
mod selection;
mod text;

pub use methods::Methods;
pub use result::{TrialStatus, Tuning, TuningTrial};
pub(crate) use selection::Selected;
pub use selection::Selection;
