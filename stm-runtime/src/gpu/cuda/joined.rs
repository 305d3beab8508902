//! Work in streams of other code that the device waits for.

use std::sync::{Mutex, MutexGuard, PoisonError};

#[cfg(feature = "cudarc")]
use cudarc::driver::{CudaEvent, result, sys};

use super::context::{Context, finish};
use super::lane::CopyStream;
#[cfg(feature = "cudarc")]
use super::result::checked;
use crate::error::GpuError;

/// A stream that does nothing but wait for that work, once there is some. Kernels and copies wait for it.
#[derive(Default)]
pub(super) struct Joined(Mutex<Option<CopyStream>>);

impl Joined {
    /// Lets kernels, and copies that begin later, wait for an event of any context.
    #[cfg(feature = "cudarc")]
    pub(super) fn add(&self, event: CudaEvent, kernels: Context) -> Result<(), GpuError> {
        kernels.enter()?;
        let mut waiting = self.waiting();
        let own = match &mut *waiting {
            Some(own) => own,
            none => none.insert(CopyStream::new()?),
        };
        let flags = sys::CUevent_wait_flags::CU_EVENT_WAIT_DEFAULT;
        // SAFETY: both are live, and the event may be destroyed before the wait is over.
        let code = unsafe { result::stream::wait_event(own.stream, event.cu_event(), flags) };
        checked("cuStreamWaitEvent", code)?;
        own.reached.record(own.stream)?;
        own.reached.hold(kernels.stream)
    }

    /// Lets a stream wait. The context is current.
    pub(super) fn hold(&self, own: Context) -> Result<Context, GpuError> {
        let waiting = self.waiting();
        waiting.as_ref().map_or(Ok(()), |waiting| waiting.reached.hold(own.stream))?;
        Ok(Context { waits: waiting.is_some(), ..own })
    }

    /// Waits for all of the work.
    pub(super) fn finish(&self, context: Context) -> Result<(), GpuError> {
        context.enter()?;
        let stream = self.waiting().as_ref().map(|waiting| waiting.stream);
        stream.map_or(Ok(()), finish)
    }

    fn waiting(&self) -> MutexGuard<'_, Option<CopyStream>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
