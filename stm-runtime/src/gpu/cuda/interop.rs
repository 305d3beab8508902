//! Beside other code that uses cudarc: its contexts, streams and slices.

use std::panic::Location;
use std::sync::Arc;

use cudarc::driver::{CudaContext, CudaSlice, CudaStream, DevicePtr, DevicePtrMut};

use super::driver::CudaBackend;
use crate::backend::Device;
use crate::data::{ForeignMemory, GpuData};
use crate::error::{Error, ForeignProblem};
use crate::gpu::cluster::ClusterBackend;

impl Device {
    /// Returns the device of a context, as [`Device::cuda`] does. The context has to be the primary one, as that of `CudaContext::new` is.
    ///
    /// # Errors
    /// As [`Device::cuda`], or it is another context of the device ([`Error::ForeignMemory`]).
    #[track_caller]
    pub fn of_context(context: &CudaContext) -> Result<Device, Error> {
        let device = Device::cuda(context.ordinal())?;
        check(&device, context, Location::caller()).map(|_| device)
    }

    /// Lets the device wait for the work that a stream has been given so far, whatever it is asked for from now on: as `CudaStream::join`
    /// lets a stream wait. The host does not wait. The stream can be of any context. In the other direction nothing is needed: a run, a copy
    /// and [`Shared::device_memory`](crate::Shared::device_memory) have ended when they return.
    ///
    /// # Errors
    /// The device is no GPU that CUDA drives ([`Error::ForeignMemory`]), or the driver failed.
    #[track_caller]
    pub fn join(&self, stream: &CudaStream) -> Result<(), Error> {
        Ok(driver_of(self, Location::caller())?.join(stream)?)
    }
}

// SAFETY: the slice is the only owner of its elements, which never move.
unsafe impl<T: GpuData> ForeignMemory for CudaSlice<T> {
    type Element = T;

    fn address(&self) -> u64 {
        self.device_ptr(self.stream()).0
    }

    fn elements(&self) -> usize {
        self.len()
    }

    #[track_caller]
    fn join(&mut self, device: &Device) -> Result<(), Error> {
        let stream = self.stream().clone();
        check(device, stream.context(), Location::caller())?;
        // The stream waits for uses of the slice in other streams.
        drop(self.device_ptr_mut(&stream));
        device.join(&stream)
    }
}

/// Returns the driver of a device whose transactions run in that context, or on another device.
fn check(device: &Device, context: &CudaContext, at: &'static Location<'static>) -> Result<(), Error> {
    let driver = driver_of(device, at)?;
    let (own, ordinal) = (driver.device.context.context, driver.ordinal);
    if context.ordinal() != ordinal {
        let problem = ForeignProblem::OtherDevice { ordinal: context.ordinal() };
        return Err(Error::ForeignMemory { problem, at });
    }
    if context.cu_ctx() == own {
        return Ok(());
    }
    Err(Error::ForeignMemory { problem: ForeignProblem::OtherContext { ordinal }, at })
}

fn driver_of(device: &Device, at: &'static Location<'static>) -> Result<Arc<CudaBackend>, Error> {
    let driver = device.backend().driver();
    let is_cluster = driver.as_ref().is_some_and(|driver| driver.is::<ClusterBackend>());
    let problem = if is_cluster { ForeignProblem::Cluster } else { ForeignProblem::NoGpu };
    driver.and_then(|driver| driver.downcast().ok()).ok_or(Error::ForeignMemory { problem, at })
}
