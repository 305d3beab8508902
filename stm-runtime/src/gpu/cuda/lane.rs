//! What one copying thread has of the kept ring of pinned memory: two buffers, of which the host fills or empties one while the other is
//! being copied.

use std::cell::Cell;
use std::slice;

use cudarc::driver::result;
use cudarc::driver::sys::{self, CUdeviceptr};

use super::context::{Event, new_stream};
use super::result::checked;
use crate::error::GpuError;

/// Bytes of a buffer, and of a piece of a copy: a multiple of the size of every item.
pub(super) const PIECE: usize = if cfg!(test) { 1 << 12 } else { 2 << 20 };

/// The stream and the buffers of one copying thread.
pub(super) struct CopyLane {
    pub(super) stream: sys::CUstream,
    halves: [Half; 2],
    next: Cell<usize>,
}

/// A pinned buffer of `PIECE` bytes, and the event after the last copy that used it.
pub(super) struct Half {
    memory: *mut u8,
    done: Event,
}

// SAFETY: the driver's handles and its pinned memory may be used from any thread, and only the holder of a lane uses its buffers.
unsafe impl Send for CopyLane {}

/// The lanes of some threads, and the stream that they share: several are not faster (one H200, docs/results).
pub(super) struct Lanes {
    pub(super) lanes: Vec<CopyLane>,
    pub(super) copies: CopyStream,
}

/// A stream, with an event to wait for what was given to it.
pub(super) struct CopyStream {
    pub(super) stream: sys::CUstream,
    pub(super) reached: Event,
}

// SAFETY: as for `CopyLane`.
unsafe impl Send for CopyStream {}

impl Lanes {
    /// Returns one lane for each thread; `None` where there is no pinned memory. The context is current.
    pub(super) fn new(threads: usize) -> Option<Lanes> {
        let bytes = 2 * threads * PIECE;
        // SAFETY: the memory is never freed, as its device is never closed.
        let memory = unsafe { result::malloc_host(bytes, 0) }.ok()?;
        // SAFETY: as many bytes were allocated just now. Slices of them are made later, and need bytes that have a value.
        unsafe { memory.cast::<u8>().write_bytes(0, bytes) };
        let copies = CopyStream::new().ok()?;
        // SAFETY: within that memory.
        let piece = |nth: usize| unsafe { memory.cast::<u8>().add(nth * PIECE) };
        let lane = |nth: usize| CopyLane::new(copies.stream, piece(2 * nth), piece(2 * nth + 1)).ok();
        Some(Lanes { lanes: (0..threads).map_while(lane).collect(), copies })
    }
}

impl CopyStream {
    pub(super) fn new() -> Result<CopyStream, GpuError> {
        Ok(CopyStream { stream: new_stream()?, reached: Event::untimed()? })
    }
}

impl CopyLane {
    fn new(stream: sys::CUstream, one: *mut u8, other: *mut u8) -> Result<CopyLane, GpuError> {
        let half = |memory| Ok::<Half, GpuError>(Half { memory, done: Event::untimed()? });
        Ok(CopyLane { stream, halves: [half(one)?, half(other)?], next: Cell::new(0) })
    }

    /// Returns the buffer whose copy began before that of the other one.
    fn turn(&self) -> &Half {
        let next = self.next.get();
        self.next.set(1 - next);
        &self.halves[next]
    }

    /// Sends bytes to the device. `fill` writes as many or fewer, and returns where they go and how many they are. Returns when the copy
    /// has been asked for.
    ///
    /// # Safety
    /// There is room for the bytes in device memory where they go.
    pub(super) unsafe fn send(
        &self,
        bytes: usize,
        fill: impl FnOnce(&mut [u8]) -> (CUdeviceptr, usize),
    ) -> Result<(), GpuError> {
        let half = self.turn();
        half.done.wait()?;
        assert!(bytes <= PIECE, "a piece fits a buffer");
        // SAFETY: within the buffer, which nothing else uses: its last copy is done. What it holds is bytes.
        let pinned = unsafe { slice::from_raw_parts_mut(half.memory, bytes) };
        let (target, written) = fill(pinned);
        assert!(written <= bytes, "a piece becomes no longer");
        // SAFETY: within the target, as the caller guarantees, and the buffer stays until the copy is done.
        let code = unsafe { sys::cuMemcpyHtoDAsync_v2(target, half.memory.cast(), written, self.stream) };
        checked("cuMemcpyHtoDAsync", code.result())?;
        half.done.record(self.stream)
    }

    /// Asks for bytes of the device.
    ///
    /// # Safety
    /// There are that many bytes of device memory at the source.
    pub(super) unsafe fn ask(&self, source: CUdeviceptr, bytes: usize) -> Result<Coming<'_>, GpuError> {
        let half = self.turn();
        half.done.wait()?;
        assert!(bytes <= PIECE, "a piece fits a buffer");
        // SAFETY: within the source, as the caller guarantees; nothing else uses the buffer, and it stays.
        let code = unsafe { sys::cuMemcpyDtoHAsync_v2(half.memory.cast(), source, bytes, self.stream) };
        checked("cuMemcpyDtoHAsync", code.result())?;
        half.done.record(self.stream)?;
        Ok(Coming { half, bytes })
    }
}

/// Bytes on their way from the device.
pub(super) struct Coming<'l> {
    half: &'l Half,
    bytes: usize,
}

impl Coming<'_> {
    /// Waits for the bytes, and reads them.
    pub(super) fn take(self, read: impl FnOnce(&[u8])) -> Result<(), GpuError> {
        self.half.done.wait()?;
        // SAFETY: the buffer holds as many, and their copy is done.
        read(unsafe { slice::from_raw_parts(self.half.memory, self.bytes) });
        Ok(())
    }
}
