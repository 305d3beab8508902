//! The CUDA back end: the driver through cudarc, and NVRTC through a loader of our own.

mod context;
mod copies;
mod device;
mod driver;
mod elf;
mod exchange;
mod foreign;
mod functions;
mod image;
#[cfg(feature = "cudarc")]
mod interop;
mod joined;
mod kept;
mod kernel;
mod kernel_streams;
mod lane;
mod linker;
pub mod nvrtc;
mod packing;
mod parts;
mod peers;
mod probe;
mod program;
mod result;
mod rows;
mod staging;
mod team;
mod zeroing;

pub(crate) use driver::CudaBackend;
pub use parts::PartsPolicy;
pub(crate) use peers::cluster;

#[cfg(test)]
mod tests;
#[cfg(all(test, feature = "cudarc", feature = "emulator"))]
mod tests_interop;
#[cfg(test)]
mod tests_parts;
#[cfg(test)]
mod tests_peers;
#[cfg(all(test, feature = "emulator"))]
mod tests_runs;
#[cfg(all(test, feature = "emulator"))]
mod tests_streams;
