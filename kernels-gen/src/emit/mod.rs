//! From a checked transaction and its facts to text. Nothing here can reject.

mod announce;
mod cuda;
pub(crate) mod item;
mod names;
pub(crate) mod rust;
mod writer;

pub(crate) use cuda::emit_cuda;
