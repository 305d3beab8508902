//! From a transaction and its facts to text. Nothing here can reject.

mod announce;
mod cuda;
#[cfg(feature = "front")]
pub(crate) mod item;
mod literal;
mod loops;
mod names;
mod print;
#[cfg(feature = "front")]
pub(crate) mod rejected;
#[cfg(feature = "front")]
pub(crate) mod rust;
#[cfg(feature = "front")]
mod transaction;
mod writer;

pub(crate) use cuda::emit_cuda;
