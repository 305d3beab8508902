//! From an understood function to Rust: the function for CPU threads, and the items beside it.

pub(super) mod item;
pub(super) mod rejected;
pub(super) mod rust;
mod transaction;
