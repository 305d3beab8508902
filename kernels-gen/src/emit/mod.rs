//! From a flat transaction and its facts to CUDA text. Nothing here can reject.

mod cuda;
mod declare;
mod literal;
mod loops;
mod names;
mod print;
mod writer;

pub(crate) use cuda::emit_cuda;
