//! What users see: devices, batches, calls, reports.

mod batch;
mod call;
mod device;
mod kernel;
pub(crate) mod report;
mod specializations;
mod verbs;

pub use batch::Batch;
pub use call::{Call, Ticket};
pub use kernel::Kernel;
pub use report::Report;
