//! The compiler of GPU transactions: an annotated Rust function becomes CUDA C, and a Rust function for CPU threads.
//!
//! ```text
//! user's fn ─parse─▶ ir ─analysis─▶ Facts ─emit─▶ CUDA text + Rust items          (feature `front`)
//! CUDA text + prelude + engine + scheduler ─device::link─▶ one unit for NVRTC     (always)
//! ```
//!
//! [`pipeline`] is the first half in order, [`device`] the second; [`spec`] and [`fault`] are the data that both halves
//! and the runtime share. The crate knows no GPU, reads no file and writes none.

#![forbid(unsafe_code)]

#[cfg(feature = "front")]
pub mod analysis;
pub mod device;
#[cfg(feature = "front")]
pub mod diag;
#[cfg(feature = "front")]
mod emit;
pub mod fault;
#[cfg(feature = "front")]
pub mod ir;
#[cfg(feature = "front")]
mod parse;
#[cfg(feature = "front")]
pub mod pipeline;
pub mod spec;
