//! The seam between batches and devices: what a batch asks for, and what a device has to be able to do.
//!
//! Above it nothing knows which back end runs a batch. Below it nothing knows batches, reports or the types of elements.

mod array;
mod describe;
mod device;
mod function;
mod interface;
mod job;

pub use array::Array;
pub(crate) use array::{ArrayShape, ArrayStore, hold};
pub(crate) use describe::describe_fault;
pub use device::Device;
pub(crate) use function::{CompiledProcedure, Function, Resolved};
pub(crate) use interface::Backend;
pub(crate) use job::{Functions, Job, Options, Specialization};
