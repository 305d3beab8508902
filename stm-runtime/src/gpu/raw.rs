//! Hand-written CUDA C with the device, compiler and clock of generated kernels.
//!
//! It serves baselines and experiments: the performance of a hand-written kernel on the same batch. No transaction needs
//! it, and it does not depend on transactions.
//!
//! A kernel is one self-contained text without headers. Its entry is
//! `extern "C" __global__ void stm_run(const __grid_constant__ stm_params p)`, where `stm_params` is a structure of 64-bit
//! fields that the text declares: numbers, and addresses of [`Buffer`]s.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use kernels_gen::device::stage::EXECUTE;

use super::backend::{self, HostSlice, HostSliceMut, Loaded, Shape};
use super::device::GpuDevice;
#[cfg(feature = "emulator")]
use super::emulator::EmulatorOptions;
use super::making::Making;
use crate::error::Error;

/// A device for hand-written kernels. It shares the context with an open [`Device`](crate::Device) of the same number.
#[derive(Clone)]
pub struct Gpu {
    backend: Arc<dyn backend::Driver>,
}

impl Gpu {
    /// Opens the CUDA device of that number.
    ///
    /// # Errors
    /// The driver or the device is missing or too old.
    pub fn cuda(ordinal: usize) -> Result<Gpu, Error> {
        Ok(Gpu { backend: GpuDevice::cuda(ordinal)?.backend() })
    }

    /// Returns an emulated device, for trying a kernel where there is no GPU. Its times do not apply to a GPU.
    ///
    /// # Errors
    /// There is no usable C++ compiler.
    #[cfg(feature = "emulator")]
    pub fn emulated(options: EmulatorOptions) -> Result<Gpu, Error> {
        Ok(Gpu { backend: GpuDevice::emulated(options)?.backend() })
    }

    /// Returns its description.
    #[must_use]
    pub fn describe(&self) -> String {
        self.backend.describe()
    }

    /// Returns the threads that the whole device holds at once, for a kernel with few registers.
    #[must_use]
    pub fn threads(&self) -> u64 {
        self.backend.limits().threads
    }

    /// Compiles a kernel, or finds it in the cache.
    ///
    /// # Errors
    /// There is no compiler, it refuses the text, or the entry is missing.
    pub fn compile(&self, source: &str) -> Result<Program, Error> {
        Ok(Program { loaded: self.backend.load(backend::Code::Text(source), Making::begin())? })
    }

    /// Allocates that many zeroed bytes of device memory; `what` names it in errors.
    ///
    /// # Errors
    /// The device has not enough memory, or failed.
    pub fn zeroed(&self, what: &'static str, bytes: usize) -> Result<Buffer, Error> {
        let inner = backend::DeviceBuffer::new(&self.backend, what, bytes)?;
        inner.zero()?;
        Ok(Buffer { inner, bytes })
    }

    /// Allocates device memory with a copy of these elements.
    ///
    /// # Errors
    /// The device has not enough memory, or failed.
    pub fn upload<T: BufferElement>(&self, what: &'static str, elements: &[T]) -> Result<Buffer, Error> {
        let bytes = size_of_val(elements);
        let buffer = Buffer { inner: backend::DeviceBuffer::new(&self.backend, what, bytes)?, bytes };
        buffer.upload(elements)?;
        Ok(buffer)
    }
}

impl fmt::Debug for Gpu {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Gpu({})", self.describe())
    }
}

/// Device memory. It is freed when this is dropped.
pub struct Buffer {
    inner: backend::DeviceBuffer,
    bytes: usize,
}

impl Buffer {
    /// Returns its address on the device, for the parameters of a launch.
    #[must_use]
    pub fn address(&self) -> u64 {
        self.inner.address()
    }

    /// Copies elements to the beginning of the buffer.
    ///
    /// # Errors
    /// The device failed.
    ///
    /// # Panics
    /// There are more elements than it holds.
    pub fn upload<T: BufferElement>(&self, elements: &[T]) -> Result<(), Error> {
        self.check(size_of_val(elements));
        Ok(self.inner.upload(0, T::source(elements).0)?)
    }

    /// Copies the beginning of the buffer to `into`.
    ///
    /// # Errors
    /// The device failed.
    ///
    /// # Panics
    /// `into` is longer than the buffer.
    pub fn download<T: BufferElement>(&self, into: &mut [T]) -> Result<(), Error> {
        self.check(size_of_val(into));
        Ok(self.inner.download(0, T::target(into).0)?)
    }

    /// Sets all bytes to zero.
    ///
    /// # Errors
    /// The device failed.
    pub fn zero(&self) -> Result<(), Error> {
        Ok(self.inner.zero()?)
    }

    fn check(&self, bytes: usize) {
        assert!(bytes <= self.bytes, "a copy of {bytes} bytes does not fit a buffer of {}", self.bytes);
    }
}

impl fmt::Debug for Buffer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Buffer({} bytes)", self.bytes)
    }
}

/// A compiled kernel on its device.
#[derive(Clone)]
pub struct Program {
    loaded: Loaded,
}

impl Program {
    /// Runs the kernel to its end and returns the time on the device, taken by device events.
    ///
    /// # Errors
    /// The parameters do not have the size of the kernel's, or the device failed.
    ///
    /// # Safety
    /// The kernel must end, and must stay within the memory of live buffers of its own device: it knows them only from
    /// `parameters`, and nothing checks them. No other thread may use these buffers meanwhile.
    pub unsafe fn launch(&self, blocks: u32, threads: u32, parameters: &[u64]) -> Result<Duration, Error> {
        let shape = Shape { grid: blocks, block: threads, shared: 0 };
        Ok(self.loaded.program.launch(EXECUTE, shape, parameters)?)
    }

    /// Returns the number of blocks of that many threads that the whole device holds at once.
    ///
    /// # Errors
    /// The device failed.
    pub fn resident_blocks(&self, threads: u32) -> Result<u32, Error> {
        Ok(self.loaded.program.resident_blocks(EXECUTE, threads, 0)?)
    }

    /// Returns the compiler's warnings, and trouble with the cache.
    #[must_use]
    pub fn notes(&self) -> &[String] {
        &self.loaded.notes
    }
}

impl fmt::Debug for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Program")
    }
}

/// An integer with the same representation on host and device: `u8`, `u32`, `u64`.
pub trait BufferElement: sealed::Sealed {}

mod sealed {
    use super::{HostSlice, HostSliceMut};

    /// Host memory to copy from, opaque outside of the back ends.
    pub struct CopySource<'a>(pub(super) HostSlice<'a>);

    /// Host memory to copy into.
    pub struct CopyTarget<'a>(pub(super) HostSliceMut<'a>);

    /// Prevents implementations by other crates.
    pub trait Sealed: Copy {
        fn source(elements: &[Self]) -> CopySource<'_>;
        fn target(elements: &mut [Self]) -> CopyTarget<'_>;
    }
}

macro_rules! buffer_elements {
    ($($variant:ident($type:ty),)*) => {$(
        impl BufferElement for $type {}

        impl sealed::Sealed for $type {
            fn source(elements: &[$type]) -> sealed::CopySource<'_> {
                sealed::CopySource(HostSlice::$variant(elements))
            }

            fn target(elements: &mut [$type]) -> sealed::CopyTarget<'_> {
                sealed::CopyTarget(HostSliceMut::$variant(elements))
            }
        }
    )*};
}

buffer_elements! { U8(u8), U32(u32), U64(u64), }
