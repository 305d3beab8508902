//! The interface between batches and devices.
//!
//! The modules above it do not depend on the back end. The modules below it do not depend on batches, reports or element types.

mod array;
mod describe;
mod device;
mod function;
mod interface;
mod job;

pub use array::Array;
pub(crate) use array::{
    ArrayShape, ArrayStore, COPY, DeviceId, Foreign, Granularity, Holding, PIECE, Place, hold, line_up,
};
pub(crate) use describe::describe_fault;
pub use device::Device;
pub(crate) use function::{CompiledProcedure, Function, Resolved};
pub(crate) use interface::{Ahead, Backend};
pub use job::Order;
pub(crate) use job::{Content, Functions, Job, JobOptions, LentFunctions, Memo, Specialization, SpecializationIds};
