//! The driver's handles for all other modules: the context, its streams, events in them.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use cudarc::driver::{result, sys};

use super::result::checked;
use crate::error::GpuError;

/// The primary context and one of our streams in it: that of all kernels (see `kernel_streams.rs`), unless something else is said.
#[derive(Clone, Copy)]
pub(super) struct Context {
    pub(super) context: sys::CUcontext,
    pub(super) stream: sys::CUstream,
    /// Whether the stream waits for work of other code, as all streams of the same copy then must.
    pub(super) waits: bool,
}

/// Streams for copies, which then need not wait for kernels of other runs: as many as copies have been under way at once.
#[derive(Default)]
pub(super) struct CopyStreams(Mutex<Vec<Context>>);

// SAFETY: the driver's handles may be used from any thread; each use makes the context current first.
unsafe impl Send for Context {}
// SAFETY: as above: the driver serialises calls on one context itself.
unsafe impl Sync for Context {}

impl Context {
    /// Makes the context current on this thread. Every operation begins with it.
    pub(super) fn enter(&self) -> Result<(), GpuError> {
        // SAFETY: the context was retained when the device was opened and is never released.
        checked("cuCtxSetCurrent", unsafe { result::ctx::set_current(self.context) })
    }
}

impl CopyStreams {
    /// Does work in a stream of its own, and waits for it. The context becomes current.
    pub(super) fn with<T>(
        &self,
        context: Context,
        work: impl FnOnce(Context) -> Result<T, GpuError>,
    ) -> Result<T, GpuError> {
        context.enter()?;
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let own = kept.map_or_else(|| new_stream().map(|stream| Context { stream, ..context }), Ok)?;
        let done = work(own);
        // Also after an error: the caller frees what is being copied. Where this fails too, the context is lost, and so are its copies.
        let ended = finish(own.stream);
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(own);
        ended.and(done)
    }
}

/// Returns a stream that waits for no other one.
pub(super) fn new_stream() -> Result<sys::CUstream, GpuError> {
    checked("cuStreamCreate", result::stream::create(result::stream::StreamKind::NonBlocking))
}

/// Waits for all work in a stream.
pub(super) fn finish(stream: sys::CUstream) -> Result<(), GpuError> {
    // SAFETY: the runtime's streams are never destroyed.
    checked("cuStreamSynchronize", unsafe { result::stream::synchronize(stream) })
}

/// A timed point in the stream.
pub(super) struct Event(sys::CUevent);

// SAFETY: an event is a handle that any thread may use once it has entered the context.
unsafe impl Send for Event {}

/// The events around a kernel.
pub(super) struct Timer {
    pub(super) begin: Event,
    pub(super) end: Event,
}

/// Timers of earlier launches, for later ones.
#[derive(Default)]
pub(super) struct KeptTimers(Mutex<Vec<Timer>>);

impl KeptTimers {
    /// Takes a timer, or makes one.
    pub(super) fn take(&self) -> Result<Timer, GpuError> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner).pop();
        kept.map_or_else(|| Ok(Timer { begin: Event::new()?, end: Event::new()? }), Ok)
    }

    pub(super) fn keep(&self, timer: Timer) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(timer);
    }
}

impl Event {
    pub(super) fn new() -> Result<Event, GpuError> {
        checked("cuEventCreate", result::event::create(sys::CUevent_flags::CU_EVENT_DEFAULT)).map(Event)
    }

    /// Returns an event that no time is taken from, which costs less.
    pub(super) fn untimed() -> Result<Event, GpuError> {
        checked("cuEventCreate", result::event::create(sys::CUevent_flags::CU_EVENT_DISABLE_TIMING)).map(Event)
    }

    /// Lets a stream wait for the last record.
    pub(super) fn hold(&self, stream: sys::CUstream) -> Result<(), GpuError> {
        let flags = sys::CUevent_wait_flags::CU_EVENT_WAIT_DEFAULT;
        // SAFETY: event and stream are live and of the current context.
        checked("cuStreamWaitEvent", unsafe { result::stream::wait_event(stream, self.0, flags) })
    }

    pub(super) fn record(&self, stream: sys::CUstream) -> Result<(), GpuError> {
        // SAFETY: event and stream are live and of the current context.
        checked("cuEventRecord", unsafe { result::event::record(self.0, stream) })
    }

    /// Waits for the last record; returns at once if there is none.
    pub(super) fn wait(&self) -> Result<(), GpuError> {
        // SAFETY: the event is live.
        checked("cuEventSynchronize", unsafe { result::event::synchronize(self.0) })
    }

    pub(super) fn until(&self, end: &Event) -> Result<Duration, GpuError> {
        // SAFETY: both events are live, recorded on one stream and complete.
        let milliseconds = checked("cuEventElapsedTime", unsafe { result::event::elapsed(self.0, end.0) })?;
        Ok(Duration::from_secs_f64(f64::from(milliseconds.max(0.0)) / 1e3))
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        // SAFETY: created once, destroyed once; the driver waits for an event in use by itself.
        let _ = unsafe { result::event::destroy(self.0) };
    }
}
