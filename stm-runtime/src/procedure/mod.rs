//! Procedures: annotated functions at run time, and the functions that generated code calls.

mod arguments;
mod attempts;
pub mod callee;
mod definition;
mod facts;
mod finish;
mod for_update;
mod function;
pub mod local;
pub mod ops;
mod snapshot;

pub use arguments::{Arguments, Values};
pub use attempts::Attempts;
pub use definition::{HostFunctions, Procedure, ProcedureFn};
pub use facts::KernelFacts;
pub(crate) use function::BatchFunctions;
pub(crate) use snapshot::Snapshot;
