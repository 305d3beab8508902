//! The compiler of GPU transactions: an annotated Rust function becomes CUDA C, and a Rust function for CPU threads.
//!
//! ```text
//! user's fn ─parse─▶ ir ─print─▶ Rust items, with the ir as bytes                              (in the macro, feature `front`)
//! ir + types, constants, functions as rustc resolved them ─compile─▶ flat ir ─analysis─▶ facts ─emit─▶ CUDA text   (once per procedure)
//! CUDA text + prelude + engine + scheduler ─device::link─▶ one unit for NVRTC, or its parts   (once per batch)
//! ```
//!
//! `front::pipeline` is the first line in order, [`compile`] the second, [`device`] the third; [`spec`] and [`fault`] are the
//! data that all of them and the runtime share. The crate knows no GPU, reads no file and writes none.

#![forbid(unsafe_code)]

pub mod abi;
pub mod analysis;
pub mod compile;
pub mod device;
mod emit;
pub mod fault;
#[cfg(feature = "front")]
mod front;
mod infer;
pub mod ir;
mod locals;
pub mod methods;
mod nearest;
pub mod spec;
mod trouble;

#[cfg(feature = "front")]
pub use front::{derive, diag, module, pipeline, root};
pub use nearest::{meant, nearest};
pub use trouble::Trouble;
