//! Memory that is zeroed beside the work of the host: kernels wait for it, and the host only where it asks.

use std::sync::{Mutex, MutexGuard, PoisonError};

use cudarc::driver::{result, sys::CUdeviceptr};

use super::context::{Context, finish};
use super::joined::Joined;
use super::lane::CopyStream;
use super::result::checked;
use crate::error::GpuError;

/// The stream that zeroes memory, once there was some.
#[derive(Default)]
pub(super) struct Zeroing(Mutex<Option<CopyStream>>);

impl Zeroing {
    /// Zeroes bytes before any kernel that is launched from now on.
    ///
    /// # Safety
    /// There are that many bytes of device memory, and until such a kernel has ended, or until `finish`, nothing else uses them.
    pub(super) unsafe fn zero(
        &self,
        kernels: Context,
        joined: &Joined,
        at: CUdeviceptr,
        bytes: usize,
    ) -> Result<(), GpuError> {
        kernels.enter()?;
        let mut own = self.own();
        let own = match &mut *own {
            Some(own) => own,
            none => none.insert(CopyStream::new()?),
        };
        joined.hold(Context { stream: own.stream, ..kernels })?;
        // SAFETY: as the caller guarantees.
        checked("cuMemsetD8Async", unsafe { result::memset_d8_async(at, 0, bytes, own.stream) })?;
        own.reached.record(own.stream)?;
        own.reached.hold(kernels.stream)
    }

    /// Lets a stream wait until everything is zeroed. The context is current.
    pub(super) fn hold(&self, own: Context) -> Result<(), GpuError> {
        self.own().as_ref().map_or(Ok(()), |zeroing| zeroing.reached.hold(own.stream))
    }

    /// Waits until everything is zeroed.
    pub(super) fn finish(&self, context: Context) -> Result<(), GpuError> {
        context.enter()?;
        let stream = self.own().as_ref().map(|own| own.stream);
        stream.map_or(Ok(()), finish)
    }

    fn own(&self) -> MutexGuard<'_, Option<CopyStream>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
