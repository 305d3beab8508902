//! The streams of kernels: one for all, and others for small launches, so that those of several runs are on the device at once.
//!
//! The threads of a kernel may wait for each other, so all its blocks have to be on the device at some time. Of two large kernels at once,
//! each could keep a block away that the other one waits for. So a large launch waits for all earlier ones, and later ones wait for it.
//!
//! Invariant: each small launch takes its share of the device, and those that are there together take [`MOST`] at most. The next block of any
//! of them takes no more than the rest of a multiprocessor then has on average, so it fits on one of them.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use cudarc::driver::sys::CUstream;

use super::context::{Context, Event, finish};
use super::lane::CopyStream;
use crate::error::GpuError;

/// The whole device, in the unit of shares.
const WHOLE: u64 = 1 << 10;
/// The fewest blocks of a kernel on a multiprocessor for which a launch may be small, and the most that small ones take together.
const FEWEST: u32 = 4;
const MOST: u64 = WHOLE - WHOLE / FEWEST as u64;
/// The most streams beside that of all kernels.
const STREAMS: usize = 7;

/// The part of a device that a launch takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Share {
    Large,
    Small(u64),
}

/// The streams of a device, and the launches in them whose end is not known.
#[derive(Default)]
pub(super) struct KernelStreams {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    /// The large and the small launches in the stream of all kernels.
    large: usize,
    small: usize,
    /// What small launches take.
    taken: u64,
    /// Small launches that the driver is being asked for, and the large ones that wait for that.
    asking: usize,
    waiting: usize,
    /// What the stream of all kernels had been given when a launch in another one was last told to wait for it.
    reached: Option<Event>,
    others: Vec<Other>,
}

/// A stream for small launches, one at a time.
struct Other {
    own: CopyStream,
    is_taken: bool,
}

/// A launch whose end is not known. It has ended before this is dropped.
pub(super) struct UnderWay {
    streams: Arc<KernelStreams>,
    share: Share,
    /// The index of its stream among the others.
    other: Option<usize>,
}

impl Share {
    /// Returns the share of a launch of that many blocks, of which each multiprocessor holds `resident`.
    pub(super) fn of(blocks: u32, resident: u32, processors: u32) -> Share {
        let held = u64::from(resident) * u64::from(processors);
        match (u64::from(blocks) * WHOLE).div_ceil(held.max(1)) {
            share if share <= MOST && resident >= FEWEST => Share::Small(share),
            _ => Share::Large,
        }
    }
}

impl KernelStreams {
    /// Launches in the stream that `launch` is given. The context is current. Where it fails, the stream has ended what it was given.
    pub(super) fn launch<T>(
        self: &Arc<Self>,
        share: Share,
        kernels: Context,
        launch: impl FnOnce(Context) -> Result<T, GpuError>,
    ) -> Result<(T, UnderWay), GpuError> {
        // In this order: if `launch` panics, the lock is given back before `under_way` takes it again.
        let (under_way, state) = self.enter(share, kernels.stream)?;
        let stream = under_way.other.map_or(kernels.stream, |at| state.others[at].own.stream);
        let own = Context { stream, ..kernels };
        let launched = if let Share::Large = under_way.share {
            let launched = launch(own);
            drop(state);
            launched
        } else {
            // The driver is asked by several threads at once.
            drop(state);
            let _asking = Asking(self);
            launch(own)
        };
        let launched = launched.inspect_err(|_| {
            // Where this fails too, the context is lost, and so is the launch.
            let _ = finish(stream);
        });
        launched.map(|launched| (launched, under_way))
    }

    /// Waits until the driver may be asked for a launch, and chooses its stream.
    fn enter(self: &Arc<Self>, share: Share, kernels: CUstream) -> Result<(UnderWay, MutexGuard<'_, State>), GpuError> {
        let mut state = self.state();
        if let Share::Small(share) = share {
            state = self.changed.wait_while(state, |state| state.waiting > 0).unwrap_or_else(PoisonError::into_inner);
            if state.taken + share <= MOST {
                let other = state.begin_small(share, kernels)?;
                return Ok((UnderWay { streams: self.clone(), share: Share::Small(share), other }, state));
            }
        }
        state.waiting += 1;
        state = self.changed.wait_while(state, |state| state.asking > 0).unwrap_or_else(PoisonError::into_inner);
        state.waiting -= 1;
        self.changed.notify_all();
        state.begin_large(kernels)?;
        Ok((UnderWay { streams: self.clone(), share: Share::Large, other: None }, state))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Chooses the stream of a small launch, which waits for the large ones before it.
    fn begin_small(&mut self, share: u64, kernels: CUstream) -> Result<Option<usize>, GpuError> {
        let is_used = self.large + self.small > 0;
        let free = if is_used { self.free()? } else { None };
        match free {
            Some(at) => {
                let own = &self.others[at].own;
                if self.large > 0 {
                    let reached = match &self.reached {
                        Some(reached) => reached,
                        None => self.reached.insert(Event::untimed()?),
                    };
                    reached.record(kernels)?;
                    reached.hold(own.stream)?;
                }
                self.others[at].is_taken = true;
            }
            None => self.small += 1,
        }
        self.taken += share;
        self.asking += 1;
        Ok(free)
    }

    /// Lets a large launch wait for all before it.
    fn begin_large(&mut self, kernels: CUstream) -> Result<(), GpuError> {
        for Other { own, .. } in self.others.iter().filter(|other| other.is_taken) {
            own.reached.record(own.stream)?;
            own.reached.hold(kernels)?;
        }
        self.large += 1;
        Ok(())
    }

    /// Returns a stream that no launch has.
    fn free(&mut self) -> Result<Option<usize>, GpuError> {
        let free = self.others.iter().position(|other| !other.is_taken);
        if free.is_none() && self.others.len() < STREAMS {
            self.others.push(Other { own: CopyStream::new()?, is_taken: false });
            return Ok(Some(self.others.len() - 1));
        }
        Ok(free)
    }
}

/// A small launch that the driver is being asked for.
struct Asking<'s>(&'s KernelStreams);

impl Drop for Asking<'_> {
    fn drop(&mut self) {
        self.0.state().asking -= 1;
        self.0.changed.notify_all();
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        let mut state = self.streams.state();
        match (self.share, self.other) {
            (Share::Large, _) => state.large -= 1,
            (Share::Small(_), Some(at)) => state.others[at].is_taken = false,
            (Share::Small(_), None) => state.small -= 1,
        }
        if let Share::Small(share) = self.share {
            state.taken -= share;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_on_the_device_together_leaves_room_for_a_block() {
        assert_eq!(Share::of(1, 8, 132), Share::Small(1));
        assert_eq!(Share::of(66, 4, 132), Share::Small(WHOLE / 8));
        assert_eq!((Share::of(396, 4, 132), Share::of(397, 4, 132)), (Share::Small(MOST), Share::Large));
        assert_eq!(Share::of(1, 3, 132), Share::Large, "a block takes a third of a multiprocessor");
    }
}
