//! Procedures: annotated functions at run time, and the functions that generated code calls.

mod arguments;
pub mod callee;
mod definition;
mod facts;
mod finish;
mod function;
pub mod local;
pub mod ops;
mod snapshot;

pub use arguments::Transaction;
pub use definition::{Procedure, ProcedureFn};
pub use facts::KernelFacts;
pub use finish::finish;
pub(crate) use function::BatchFunctions;
pub(crate) use snapshot::Snapshot;
