//! What users see: devices, batches, calls, reports.

mod batch;
mod call;
mod canonical;
mod device;
pub mod doctor;
mod kernel;
pub mod options;
pub mod report;
mod specializations;
mod verbs;

pub use batch::Batch;
pub use call::{Call, Ticket};
pub use kernel::Kernel;
pub use options::RunOptions;
pub use report::Report;
