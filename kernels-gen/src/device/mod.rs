//! Device code: the headers, the list of engines, and the linker that joins them with generated bodies.
//!
//! Nothing here touches a device or a file; the result is text.

mod changes;
pub mod engine;
pub mod engine_memory;
pub mod engines;
mod foresight;
pub mod header;
mod kernels;
pub mod link;
mod parameters;
mod partition;
mod placed;
mod refusal;
mod share;
mod specialization;
pub mod stage;
mod tuned;
pub mod unit;
mod visits;

pub use engine::{EngineSpec, Layout, Locks, Planned, Requires, Versions};
pub use engine_memory::{Content, DECLARED_BLOCK_BYTES, Extent, LOCAL_BYTES, Memory, Scope, claims, turns};
pub use foresight::{Calls, Foreseen, Known, Listings};
pub use parameters::{Parameter, Settings};
pub use partition::partition_bytes;
pub use refusal::Refusal;
pub use share::{MOST_FUNCTIONS, functions};
pub use stage::{Residency, Stage, ThreadMapping, Visited, Work};
pub use tuned::Tuned;
