//! What users see: devices, batches, calls, reports.

mod batch;
mod call;
mod canonical;
mod columns;
mod device;
mod device_name;
pub mod doctor;
mod filling;
#[cfg(all(test, not(loom)))]
mod gated;
mod kernel;
mod last;
pub mod options;
#[cfg(feature = "rayon")]
mod parallel;
mod pipeline;
pub mod report;
mod running;
#[cfg(all(test, not(loom)))]
mod running_tests;
mod specializations;
mod verbs;

pub use batch::Batch;
pub use call::{Call, Pushable, Ticket};
pub use columns::{Columns, Tickets};
pub use kernel::Kernel;
pub use options::RunOptions;
pub use pipeline::{NotSubmitted, Pipeline, PipelineOptions, Submission, Submissions, Totals};
pub use report::Report;
pub use running::{Finished, Running};
