//! From a parsed function to Rust: the function for CPU threads, and the items that accompany it.

mod body;
pub(crate) mod by_path;
mod called;
pub(crate) mod exclusive;
mod function;
pub(crate) mod generic;
pub(super) mod instances;
pub(super) mod item;
pub(crate) mod marker;
pub(super) mod method;
pub(crate) mod operator;
pub(super) mod passed;
pub(super) mod rejected;
mod requires;
pub(super) mod rust;
mod transaction;
