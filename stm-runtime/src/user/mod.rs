//! What users see: devices, batches, calls, reports.

mod batch;
mod call;
mod canonical;
mod columns;
mod device;
pub mod doctor;
mod filling;
mod kernel;
mod last;
pub mod options;
#[cfg(feature = "rayon")]
mod parallel;
pub mod report;
mod specializations;
mod verbs;

pub use batch::Batch;
pub use call::{Call, Pushable, Ticket};
pub use columns::{Columns, Tickets};
pub use kernel::Kernel;
pub use options::RunOptions;
pub use report::Report;
