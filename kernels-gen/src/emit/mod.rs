//! Prints a flat transaction and its facts as CUDA text. No input is rejected here.

mod cuda;
mod declare;
mod literal;
mod loops;
mod names;
mod piece;
mod print;
mod writer;

pub(crate) use cuda::{emit_cuda, emit_piece};
