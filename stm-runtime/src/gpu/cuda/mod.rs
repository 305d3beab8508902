//! The CUDA back end: the driver through cudarc, and NVRTC through a loader of our own.

mod driver;
mod image;
pub mod nvrtc;
mod probe;
mod program;

pub(crate) use driver::CudaBackend;

#[cfg(test)]
mod tests;
