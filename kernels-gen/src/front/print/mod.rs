//! From a parsed function to Rust: the function for CPU threads, and the items that accompany it.

mod body;
pub(super) mod item;
pub(super) mod rejected;
pub(super) mod rust;
mod transaction;
