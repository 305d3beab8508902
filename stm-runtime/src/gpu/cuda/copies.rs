//! Large copies between host and device: by several threads, through a kept ring of pinned memory.
//!
//! The driver copies pageable memory on the calling thread, through a small buffer of its own, and a new target
//! costs a page fault every 4 KiB on top. So a large copy is cut into pieces, which all cores of the host take in turn: a thread fills a
//! pinned buffer and asks for its copy, and fills the other one meanwhile. Several copies are one piece of work, because threads wake up
//! late.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use cudarc::driver::sys::CUdeviceptr;

use super::context::{Context, finish};
use super::lane::{CopyLane, CopyStream, Lanes, PIECE};
use super::team::Team;
use crate::error::GpuError;
use crate::threads::{next, processors};

/// Bytes from which a copy is worth several threads.
const LARGE: usize = if cfg!(test) { 1 << 16 } else { 2 << 20 };

/// The most copying threads: more than saturate the bus.
const MOST_THREADS: usize = 16;

/// The copying threads, started at the first large copy. None where there is no pinned memory.
#[derive(Default)]
pub(super) struct Copies {
    ring: Mutex<Option<Option<Ring>>>,
}

struct Ring {
    team: Team<CopyLane>,
    streams: Vec<CopyStream>,
}

/// What is to be copied to the device.
pub(super) struct Source<'a> {
    pub(super) target: CUdeviceptr,
    pub(super) bytes: usize,
    pub(super) fill: Fill<'a>,
}

/// Where the bytes of a source come from.
#[derive(Clone, Copy)]
pub(super) enum Fill<'a> {
    /// These are the bytes.
    Bytes(&'a [u8]),
    /// This writes those from an offset on. Offsets are multiples of the size of a piece.
    By(&'a (dyn Fn(usize, &mut [u8]) + Sync)),
}

impl Fill<'_> {
    fn write(self, offset: usize, into: &mut [u8]) {
        match self {
            Fill::Bytes(bytes) => into.copy_from_slice(&bytes[offset..][..into.len()]),
            Fill::By(write) => write(offset, into),
        }
    }
}

/// A part of a source.
#[derive(Clone, Copy)]
struct Piece<'s, 'a> {
    /// The number of the part of the copy that it belongs to.
    part: usize,
    source: &'s Source<'a>,
    offset: usize,
}

impl Copies {
    /// Copies parts to the device, one after the other. Calls `then` with the number of each part when all of its copies have been asked
    /// for: what `then` gives to the stream of the context begins after them. Returns false where the caller has to copy: the parts
    /// are small, or there is no pinned memory.
    ///
    /// The copies may still be under way when this returns, but what `fill` reads is no longer needed. Work in the context's stream comes
    /// after them.
    ///
    /// # Safety
    /// There is room in device memory at the targets, and nothing else uses it.
    pub(super) unsafe fn upload(
        &self,
        context: Context,
        parts: &[Vec<Source<'_>>],
        then: &mut dyn FnMut(usize) -> Result<(), GpuError>,
    ) -> Result<bool, GpuError> {
        let all = parts.iter().flatten().map(|source| source.bytes).sum();
        self.with_ring(all, |Ring { team, streams }| {
            let flow = Flow::of(parts);
            let send = |lane: &CopyLane, piece: Piece<'_, '_>| {
                let Piece { source, offset, .. } = piece;
                let (target, bytes) = (source.target + offset as u64, PIECE.min(source.bytes - offset));
                // SAFETY: within the target, as the caller guarantees.
                unsafe { lane.send(target, bytes, |into| source.fill.write(offset, into)) }
            };
            let work = |lane: &CopyLane| flow.work(|| context.enter(), |piece| send(lane, piece));
            team.with(&work, |lane| {
                for part in 0..parts.len() {
                    flow.work_until(part, |piece| send(lane, piece));
                    let sent = flow.failure().and_then(|()| order(context, streams)).and_then(|()| then(part));
                    sent.inspect_err(|error| flow.fail(error.clone()))?;
                }
                Ok(())
            })
        })
    }

    /// Copies from the device items that take `each` bytes there, as `take` reads them: it gets the index of the first item of each
    /// piece. Returns when the copy is done; returns false where the caller has to copy, in one piece.
    ///
    /// # Safety
    /// There is device memory for all of the items at the source.
    pub(super) unsafe fn download<T: Send>(
        &self,
        context: Context,
        source: CUdeviceptr,
        items: &mut [T],
        each: usize,
        take: impl Fn(usize, &[u8], &mut [T]) + Sync,
    ) -> Result<bool, GpuError> {
        assert!(each > 0 && PIECE.is_multiple_of(each), "items of {each} bytes do not fill a piece");
        let all = each * items.len();
        let pieces = Mutex::new(items.chunks_mut(PIECE / each).enumerate());
        let receive = |lane: &CopyLane| {
            context.enter()?;
            let mut coming = None;
            loop {
                let piece = next(&pieces);
                let asked = piece.map(|(nth, items)| {
                    // SAFETY: within the source, as the caller guarantees.
                    let bytes = unsafe { lane.ask(source + (nth * PIECE) as u64, each * items.len()) };
                    bytes.map(|bytes| (nth, bytes, items))
                });
                if let Some((nth, bytes, items)) = std::mem::replace(&mut coming, asked.transpose()?) {
                    bytes.take(|bytes| take(nth * (PIECE / each), bytes, items))?;
                }
                if coming.is_none() {
                    return Ok(());
                }
            }
        };
        self.with_ring(all, |Ring { team, .. }| {
            let failed = Mutex::new(Ok(()));
            let work = |lane: &CopyLane| {
                if let Err(error) = receive(lane) {
                    *lock(&failed) = Err(error);
                }
            };
            team.with(&work, work);
            failed.into_inner().unwrap_or_else(PoisonError::into_inner)
        })
    }

    /// Calls `work` with the ring; returns false where the copy is small, or there is no ring.
    fn with_ring(&self, bytes: usize, work: impl FnOnce(&mut Ring) -> Result<(), GpuError>) -> Result<bool, GpuError> {
        if bytes < LARGE {
            return Ok(false);
        }
        let mut ring = lock(&self.ring);
        let Some(ring) = ring.get_or_insert_with(Ring::new) else { return Ok(false) };
        work(ring).map(|()| true).inspect_err(|_| {
            // Wait for all copies that use the buffers, because the next copy reuses them. Where this fails too, the context is lost,
            // and so are its copies.
            ring.streams.iter().for_each(|copies| _ = finish(copies.stream));
        })
    }
}

impl Ring {
    /// Returns a ring for all cores of the host. The context is current.
    fn new() -> Option<Ring> {
        let Lanes { lanes, streams } = Lanes::new(processors().min(MOST_THREADS));
        Some(Ring { team: Team::new(lanes)?, streams })
    }
}

/// Lets the context's stream wait for the copies that have been asked for.
fn order(context: Context, streams: &[CopyStream]) -> Result<(), GpuError> {
    streams.iter().try_for_each(|copies| {
        copies.reached.record(copies.stream)?;
        copies.reached.hold(context.stream)
    })
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The pieces of an upload while threads take them.
struct Flow<'s, 'a> {
    pieces: Vec<Piece<'s, 'a>>,
    next: AtomicUsize,
    state: Mutex<FlowState>,
    changed: Condvar,
}

struct FlowState {
    /// The pieces of each part whose copies have not been asked for.
    left: Vec<usize>,
    failed: Option<GpuError>,
}

impl<'s, 'a> Flow<'s, 'a> {
    fn of(parts: &'s [Vec<Source<'a>>]) -> Flow<'s, 'a> {
        let (mut pieces, mut left) = (Vec::new(), Vec::new());
        for (part, sources) in parts.iter().enumerate() {
            let before = pieces.len();
            for source in sources {
                pieces.extend((0..source.bytes).step_by(PIECE).map(|offset| Piece { part, source, offset }));
            }
            left.push(pieces.len() - before);
        }
        let state = Mutex::new(FlowState { left, failed: None });
        Flow { pieces, next: AtomicUsize::new(0), state, changed: Condvar::new() }
    }

    /// Takes the next piece.
    fn take(&self) -> Option<Piece<'s, 'a>> {
        self.pieces.get(self.next.fetch_add(1, Ordering::Relaxed)).copied()
    }

    /// Sends pieces as long as there are any.
    fn work(&self, enter: impl Fn() -> Result<(), GpuError>, send: impl Fn(Piece<'s, 'a>) -> Result<(), GpuError>) {
        if let Err(error) = enter() {
            return self.fail(error);
        }
        while let Some(piece) = self.take() {
            self.sent(piece, send(piece));
        }
    }

    /// Sends pieces until those of a part have been sent, or a thread has failed.
    fn work_until(&self, part: usize, send: impl Fn(Piece<'s, 'a>) -> Result<(), GpuError>) {
        let is_over = |state: &FlowState| state.left[part] == 0 || state.failed.is_some();
        while !is_over(&lock(&self.state)) {
            match self.take() {
                Some(piece) => self.sent(piece, send(piece)),
                None => {
                    let waits = self.changed.wait_while(lock(&self.state), |state| !is_over(state));
                    drop(waits.unwrap_or_else(PoisonError::into_inner));
                }
            }
        }
    }

    fn sent(&self, piece: Piece<'s, 'a>, outcome: Result<(), GpuError>) {
        match outcome {
            Err(error) => self.fail(error),
            Ok(()) => {
                let mut state = lock(&self.state);
                state.left[piece.part] -= 1;
                if state.left[piece.part] == 0 {
                    self.changed.notify_all();
                }
            }
        }
    }

    /// Stores the first error, and leaves the other pieces.
    fn fail(&self, error: GpuError) {
        self.next.store(self.pieces.len(), Ordering::Relaxed);
        lock(&self.state).failed.get_or_insert(error);
        self.changed.notify_all();
    }

    fn failure(&self) -> Result<(), GpuError> {
        lock(&self.state).failed.clone().map_or(Ok(()), Err)
    }
}
