//! Large copies between host and device: by several threads, through pinned memory.
//!
//! The driver copies pageable memory on the calling thread, through a small buffer of its own, and a new target
//! costs a page fault every 4 KiB on top. So a large copy is cut into chunks that several threads take in turn. Each thread has
//! two pinned buffers: the host fills or empties one while the other is being copied.

use std::slice;
use std::sync::{Mutex, PoisonError};

use cudarc::driver::result;
use cudarc::driver::sys::{self, CUdeviceptr};

use super::context::{Context, Event, finish};
use super::result::checked;
use crate::error::GpuError;
use crate::threads::{next, processors, share};

/// Bytes from which a copy is worth several threads.
const LARGE: usize = if cfg!(test) { 1 << 16 } else { 4 << 20 };
/// Bytes of a pinned buffer: a multiple of the size of an item.
const CHUNK: usize = if cfg!(test) { 1 << 12 } else { 1 << 20 };

/// The number of threads that saturate the memory bandwidth: more threads copy no faster.
const MOST_THREADS: usize = 8;

/// The threads' copy lanes, made at the first large copy. Empty where there is no pinned memory.
#[derive(Default)]
pub(super) struct Copies {
    places: Mutex<Option<Vec<CopyLane>>>,
}

/// The stream and buffers of one copying thread.
struct CopyLane {
    stream: sys::CUstream,
    halves: [Half; 2],
}

/// A pinned buffer of `CHUNK` bytes, and the event after the last copy that used it.
struct Half {
    memory: *mut u8,
    done: Event,
}

// SAFETY: the driver's handles and its pinned memory may be used from any thread, and only the holder of a lane uses them.
unsafe impl Send for CopyLane {}

/// Returns the number of items that fill a chunk to its end, so that the n-th chunk of items begins n chunks of bytes into the
/// copy.
fn items_a_chunk(each: usize) -> usize {
    assert!(each > 0 && CHUNK.is_multiple_of(each), "items of {each} bytes do not fill a chunk");
    CHUNK / each
}

impl Copies {
    /// Copies to the device items that take `each` bytes there, as `fill` writes them. Returns when the copy is done; returns false
    /// where the caller has to copy, in one piece.
    ///
    /// # Safety
    /// There is room for the items in device memory at the target.
    pub(super) unsafe fn upload<T: Sync>(
        &self,
        context: Context,
        target: CUdeviceptr,
        items: &[T],
        each: usize,
        fill: impl Fn(&[T], &mut [u8]) + Sync,
    ) -> Result<bool, GpuError> {
        let chunks = Mutex::new(items.chunks(items_a_chunk(each)).enumerate());
        self.with_places(context, each * items.len(), |place| {
            let mut halves = place.halves.iter().cycle();
            while let Some((index, chunk)) = next(&chunks) {
                let half = halves.next().expect("a cycle has no end");
                half.done.wait()?;
                // SAFETY: a pinned buffer holds a chunk, and nothing else uses it: its last copy is done. What it holds is bytes.
                let pinned = unsafe { slice::from_raw_parts_mut(half.memory, each * chunk.len()) };
                fill(chunk, pinned);
                let to = target + (index * CHUNK) as u64;
                // SAFETY: within the target, as the caller guarantees, and the buffer stays until the copy is done.
                let code = unsafe { sys::cuMemcpyHtoDAsync_v2(to, half.memory.cast(), pinned.len(), place.stream) };
                checked("cuMemcpyHtoDAsync", code.result())?;
                half.done.record(place.stream)?;
            }
            place.halves.iter().try_for_each(|half| half.done.wait())
        })
    }

    /// Copies from the device items that take `each` bytes there, as `take` reads them. Returns when the copy is done; returns
    /// false
    /// where the caller has to copy, in one piece.
    ///
    /// # Safety
    /// There is device memory for all of the items at the source.
    pub(super) unsafe fn download<T: Send>(
        &self,
        context: Context,
        source: CUdeviceptr,
        items: &mut [T],
        each: usize,
        take: impl Fn(&[u8], &mut [T]) + Sync,
    ) -> Result<bool, GpuError> {
        let bytes = each * items.len();
        let chunks = Mutex::new(items.chunks_mut(items_a_chunk(each)).enumerate());
        self.with_places(context, bytes, |place| {
            let mut halves = place.halves.iter().cycle();
            let mut coming: Option<(&Half, &mut [T])> = None;
            loop {
                let chunk = next(&chunks);
                let asked = match chunk {
                    None => None,
                    Some((index, chunk)) => {
                        let half = halves.next().expect("a cycle has no end");
                        let (from, bytes) = (source + (index * CHUNK) as u64, each * chunk.len());
                        // SAFETY: within the source, as the caller guarantees; the buffer holds a chunk, and has been emptied.
                        let code = unsafe { sys::cuMemcpyDtoHAsync_v2(half.memory.cast(), from, bytes, place.stream) };
                        checked("cuMemcpyDtoHAsync", code.result())?;
                        half.done.record(place.stream)?;
                        Some((half, chunk))
                    }
                };
                if let Some((half, chunk)) = std::mem::replace(&mut coming, asked) {
                    half.done.wait()?;
                    // SAFETY: the buffer holds a chunk, whose copy is done.
                    take(unsafe { slice::from_raw_parts(half.memory, each * chunk.len()) }, chunk);
                }
                if coming.is_none() {
                    return Ok(());
                }
            }
        })
    }

    /// Runs a thread for each lane; returns false where the copy is small, or there is no lane.
    fn with_places(
        &self,
        context: Context,
        bytes: usize,
        work: impl Fn(&CopyLane) -> Result<(), GpuError> + Sync,
    ) -> Result<bool, GpuError> {
        if bytes < LARGE {
            return Ok(false);
        }
        let mut places = self.places.lock().unwrap_or_else(PoisonError::into_inner);
        let places = places.get_or_insert_with(CopyLane::several);
        let (several, first) = (places.len(), Mutex::new(Ok(())));
        share(several, places.iter_mut(), |place| {
            if let Err(error) = context.enter().and_then(|()| work(place)) {
                // Wait for all copies that use the buffers, because the next copy reuses them. Where this fails too, the
                // context is lost, and so are its copies.
                let _ = finish(place.stream);
                let mut first = first.lock().unwrap_or_else(PoisonError::into_inner);
                *first = first.clone().and(Err(error));
            }
        });
        first.into_inner().unwrap_or_else(PoisonError::into_inner).map(|()| several != 0)
    }
}

impl CopyLane {
    /// Returns one lane for each thread; none where there is no pinned memory. The context is current.
    fn several() -> Vec<CopyLane> {
        let threads = processors().min(MOST_THREADS);
        let bytes = 2 * threads * CHUNK;
        // SAFETY: the memory is never freed, as its device is never closed.
        let Ok(memory) = (unsafe { result::malloc_host(bytes, 0) }) else { return Vec::new() };
        // SAFETY: as many bytes were allocated just now. Slices of them are made later, and need bytes that have a value.
        unsafe { memory.cast::<u8>().write_bytes(0, bytes) };
        // SAFETY: within that memory.
        let chunk = |index: usize| unsafe { memory.cast::<u8>().add(index * CHUNK) };
        (0..threads).map_while(|nth| CopyLane::new(chunk(2 * nth), chunk(2 * nth + 1)).ok()).collect()
    }

    fn new(one: *mut u8, other: *mut u8) -> Result<CopyLane, GpuError> {
        let stream = checked("cuStreamCreate", result::stream::create(result::stream::StreamKind::NonBlocking))?;
        let half = |memory| Ok::<Half, GpuError>(Half { memory, done: Event::new()? });
        Ok(CopyLane { stream, halves: [half(one)?, half(other)?] })
    }
}
