//! Launches with what they find and leave, in one go: a copy there, the kernel, a copy back, and one wait. Both copies use pinned memory
//! that is kept, so that neither waits for the driver.

use std::any::Any;
use std::slice;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use cudarc::driver::{result, sys};

use super::context::{Context, finish};
use super::program::CudaProgram;
use super::result::checked;
use crate::error::GpuError;
use crate::gpu::backend::{ALONG, Allocation, Exchange, Executable};

/// The most bytes each way.
const MOST: usize = ALONG;

/// Pinned memory for exchanges: as much as launches have been under way at once.
#[derive(Default)]
pub(super) struct Exchanges(Mutex<Vec<Block>>);

/// Pinned memory for both ways. It is never freed, as its device is never closed.
struct Block(*mut u8);

// SAFETY: pinned memory may be used from any thread, and only the holder of a block uses it.
unsafe impl Send for Block {}

impl Exchanges {
    /// Makes an exchange at the beginning of the memory. Returns `None` where the caller has to do it step by step: it is too large, or
    /// there is no pinned memory. `before` lets a stream beside that of all kernels wait for what that one waits for. The context is current.
    pub(super) fn run(
        &self,
        program: &dyn Executable,
        memory: &Allocation,
        exchange: &mut Exchange<'_>,
        before: impl FnOnce(Context) -> Result<(), GpuError>,
    ) -> Result<Option<Duration>, GpuError> {
        let Some(program) = (program as &dyn Any).downcast_ref::<CudaProgram>() else { return Ok(None) };
        if exchange.up.max(exchange.down.len()) > MOST {
            return Ok(None);
        }
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let Some(mut block) = kept.or_else(Block::new) else { return Ok(None) };
        let took = block.run(program, memory, exchange, before);
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(block);
        took.map(Some)
    }
}

impl Block {
    fn new() -> Option<Block> {
        // SAFETY: the memory is never freed.
        let memory = unsafe { result::malloc_host(2 * MOST, 0) }.ok()?.cast::<u8>();
        // SAFETY: as many bytes were allocated just now. Slices of them are made later, and need bytes that have a value.
        unsafe { memory.write_bytes(0, 2 * MOST) };
        Some(Block(memory))
    }

    /// Returns the memory for the way there, or for the way back.
    fn half(&mut self, is_back: bool, bytes: usize) -> &mut [u8] {
        assert!(bytes <= MOST, "an exchange fits a block");
        // SAFETY: within the block, which only its holder uses, and no copy does, since each is waited for.
        unsafe { slice::from_raw_parts_mut(self.0.add(if is_back { MOST } else { 0 }), bytes) }
    }

    /// When it returns, also with an error, no copy uses the block and the memory; or the context is lost.
    fn run(
        &mut self,
        program: &CudaProgram,
        memory: &Allocation,
        Exchange { call, up, write, down }: &mut Exchange<'_>,
        before: impl FnOnce(Context) -> Result<(), GpuError>,
    ) -> Result<Duration, GpuError> {
        let (target, source) = (memory.range(0, *up), memory.range(0, down.len()));
        let there = self.half(false, *up);
        write(there);
        let there = there.as_ptr();
        let back = self.half(true, down.len());
        let exchange = |own: Context| {
            if own.stream != program.context.stream {
                before(own)?;
            }
            if *up > 0 {
                // SAFETY: within a live allocation, and the block stays until the copy is done.
                let code = unsafe { sys::cuMemcpyHtoDAsync_v2(target, there.cast(), *up, own.stream) };
                checked("cuMemcpyHtoDAsync", code.result())?;
            }
            let running = program.start_in(own, *call)?;
            if !back.is_empty() {
                // SAFETY: as above.
                let code =
                    unsafe { sys::cuMemcpyDtoHAsync_v2(back.as_mut_ptr().cast(), source, back.len(), own.stream) };
                checked("cuMemcpyDtoHAsync", code.result())?;
            }
            Ok((running, own.stream))
        };
        let ((running, stream), _under_way) =
            program.streams.launch(program.share(*call), program.context, exchange)?;
        finish(stream)?;
        down.copy_from_slice(back);
        running.wait()
    }
}
