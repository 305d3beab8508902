//! Large copies between host and device: by several threads, through a kept ring of pinned memory.
//!
//! The driver copies pageable memory on the calling thread, through a small buffer of its own, and a new target
//! costs a page fault every 4 KiB on top. So a large copy is cut into pieces, which several threads take in turn: a thread fills a
//! pinned buffer and asks for its copy, and fills the other one meanwhile. Several copies are one piece of work, because threads wake up
//! late.

use std::sync::{Mutex, MutexGuard, PoisonError};

use cudarc::driver::sys::CUdeviceptr;

use super::context::{Context, finish};
use super::lane::{CopyLane, CopyStream, Lanes, PIECE};
use super::staging::Staging;
use super::team::Team;
use crate::error::GpuError;
use crate::gpu::backend::HostSlice;
use crate::threads::{next, processors};

/// Bytes from which a copy is worth several threads.
const LARGE: usize = if cfg!(test) { 1 << 16 } else { 2 << 20 };

/// The pieces that each thread has of a copy, unless they are too small or too large.
const PIECES: usize = 2;
/// The fewest bytes of a piece.
const LEAST_PIECE: usize = PIECE >> 5;

/// The most copying threads: where cells are packed, the memory of the host is slower than the bus, and more threads read faster (16 cores
/// of the host of an H100, docs/results).
const MOST_THREADS: usize = 16;

/// The copying threads, started at the first large copy. None where there is no pinned memory.
#[derive(Default)]
pub(super) struct Copies {
    ring: Mutex<Option<Option<Ring>>>,
}

struct Ring {
    team: Team<CopyLane>,
    copies: CopyStream,
}

/// What is to be copied to the device.
pub(super) struct Source<'a> {
    pub(super) target: CUdeviceptr,
    pub(super) bytes: usize,
    pub(super) fill: Fill<'a>,
    /// Where its packed pieces have room in staging memory.
    pub(super) slots: Option<usize>,
}

/// Where the bytes of a source come from.
#[derive(Clone, Copy)]
pub(super) enum Fill<'a> {
    /// These are the cells.
    Cells(HostSlice<'a>),
    /// This writes those from an offset on. Offsets are multiples of the size of a piece.
    By(&'a (dyn Fn(usize, &mut [u8]) + Sync)),
}

impl Fill<'_> {
    fn write(self, offset: usize, into: &mut [u8]) {
        match self {
            Fill::Cells(cells) => into.copy_from_slice(&cells.bytes()[offset..][..into.len()]),
            Fill::By(write) => write(offset, into),
        }
    }
}

/// Returns the bytes of the pieces of a copy: so few that all threads have some, and as a rule a multiple of the size of every item.
pub(super) fn piece_of(bytes: usize) -> usize {
    let each = bytes / (PIECES * processors().min(MOST_THREADS));
    each.next_power_of_two().clamp(LEAST_PIECE, PIECE)
}

/// A part of a source.
#[derive(Clone, Copy)]
struct Piece<'s, 'a> {
    source: &'s Source<'a>,
    offset: usize,
    bytes: usize,
}

impl Piece<'_, '_> {
    /// Writes the bytes to be copied, packed if that is possible. Returns where they go, and how many they are.
    fn write(self, staging: Option<&Staging<'_>>, into: &mut [u8]) -> (CUdeviceptr, usize) {
        let Piece { source, offset, bytes } = self;
        let target = source.target + offset as u64;
        let packed = match (staging, source.slots, source.fill) {
            // Packed cells take half of their bytes at most, and so do those before them.
            (Some(staging), Some(slots), Fill::Cells(cells)) => {
                staging.pack((cells, offset..offset + bytes), slots + offset / 2, target, into)
            }
            _ => None,
        };
        packed.unwrap_or_else(|| {
            source.fill.write(offset, into);
            (target, bytes)
        })
    }
}

impl Copies {
    /// Copies to the device. Returns false where the caller has to copy: all is small, or there is no pinned memory.
    ///
    /// The copies may still be under way when this returns, but what `fill` reads is no longer needed. Work in the context's stream comes
    /// after them.
    ///
    /// # Safety
    /// There is room in device memory at the targets, and nothing else uses it.
    pub(super) unsafe fn upload(
        &self,
        context: Context,
        sources: &[Source<'_>],
        staging: Option<&Staging<'_>>,
    ) -> Result<bool, GpuError> {
        let all = sources.iter().map(|source| source.bytes).sum();
        let most = piece_of(all);
        let piece = |source, left, offset| Piece { source, offset, bytes: most.min(left) };
        let pieces = sources.iter().flat_map(|source| {
            (0..source.bytes).step_by(most).map(move |offset| piece(source, source.bytes - offset, offset))
        });
        let pieces = Mutex::new(pieces);
        let send = |lane: &CopyLane| {
            context.enter()?;
            while let Some(piece) = next(&pieces) {
                // SAFETY: within the target, as the caller guarantees, or within the staging memory.
                unsafe { lane.send(piece.bytes, |into| piece.write(staging, into)) }?;
            }
            Ok(())
        };
        self.with_ring(context, all, |Ring { team, copies }| {
            together(team, send)?;
            // SAFETY: as above.
            staging.map_or(Ok(()), |staging| unsafe { staging.unpack(team.own(), copies.stream) })?;
            order(context, copies)
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
        let all = each * items.len();
        let most = piece_of(all);
        assert!(most.is_multiple_of(each), "items of {each} bytes do not fill a piece");
        let pieces = Mutex::new(items.chunks_mut(most / each).enumerate());
        let receive = |lane: &CopyLane| {
            context.enter()?;
            let mut coming = None;
            loop {
                let piece = next(&pieces);
                let asked = piece.map(|(nth, items)| {
                    // SAFETY: within the source, as the caller guarantees.
                    let bytes = unsafe { lane.ask(source + (nth * most) as u64, each * items.len()) };
                    bytes.map(|bytes| (nth, bytes, items))
                });
                if let Some((nth, bytes, items)) = std::mem::replace(&mut coming, asked.transpose()?) {
                    bytes.take(|bytes| take(nth * (most / each), bytes, items))?;
                }
                if coming.is_none() {
                    return Ok(());
                }
            }
        };
        self.with_ring(context, all, |Ring { team, .. }| together(team, receive))
    }

    /// Calls `work` with the ring; returns false where the copy is small, or there is no ring.
    fn with_ring(
        &self,
        context: Context,
        bytes: usize,
        work: impl FnOnce(&mut Ring) -> Result<(), GpuError>,
    ) -> Result<bool, GpuError> {
        if bytes < LARGE {
            return Ok(false);
        }
        let mut ring = lock(&self.ring);
        let Some(ring) = ring.get_or_insert_with(Ring::new) else { return Ok(false) };
        if context.waits {
            ring.copies.reached.record(context.stream)?;
            ring.copies.reached.hold(ring.copies.stream)?;
        }
        work(ring).map(|()| true).inspect_err(|_| {
            // Wait for all copies that use the buffers, because the next copy reuses them. Where this fails too, the context is lost,
            // and so are its copies.
            let _ = finish(ring.copies.stream);
        })
    }
}

impl Ring {
    /// Returns a ring for all cores of the host. The context is current.
    fn new() -> Option<Ring> {
        let Lanes { lanes, copies } = Lanes::new(processors().min(MOST_THREADS))?;
        Some(Ring { team: Team::new(lanes)?, copies })
    }
}

/// Lets all threads do the work. Returns the last error.
fn together(
    team: &mut Team<CopyLane>,
    work: impl Fn(&CopyLane) -> Result<(), GpuError> + Sync,
) -> Result<(), GpuError> {
    let failed = Mutex::new(Ok(()));
    let work = |lane: &CopyLane| {
        if let Err(error) = work(lane) {
            *lock(&failed) = Err(error);
        }
    };
    team.with(&work, work);
    failed.into_inner().unwrap_or_else(PoisonError::into_inner)
}

/// Lets the context's stream wait for the copies that have been asked for.
fn order(context: Context, copies: &CopyStream) -> Result<(), GpuError> {
    copies.reached.record(copies.stream)?;
    copies.reached.hold(context.stream)
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
