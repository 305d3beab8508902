//! The front end: everything that reads Rust source or prints it. Only the macros and tools need it.
//!
//! [`pipeline`] lists the steps of each macro in order.

pub mod derive;
pub mod diag;
mod form;
mod implementation;
mod lists;
mod local_functions;
pub mod module;
mod nesting;
mod own_trait;
mod parse;
mod patterns;
pub mod pipeline;
mod placeholder;
mod print;
pub mod root;
mod slices;
mod understood;
mod whole;
