//! The CUDA back end: the driver through cudarc, and NVRTC through a loader of our own.

mod context;
mod copies;
mod device;
mod driver;
mod elf;
mod functions;
mod image;
mod kept;
mod linker;
pub mod nvrtc;
mod parts;
mod probe;
mod program;
mod result;

pub(crate) use driver::CudaBackend;
pub use parts::PartsPolicy;

#[cfg(test)]
mod tests;
#[cfg(test)]
mod tests_parts;
