//! The compiler of GPU transactions.

#![forbid(unsafe_code)]

pub mod device;
pub mod fault;
pub mod spec;
