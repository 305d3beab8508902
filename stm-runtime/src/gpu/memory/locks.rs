//! The lock words of an array, or of all components of a record, on a device.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use kernels_gen::device::{Extent, Layout, Locks, Scope, Tuned};

use super::layout;
use crate::error::GpuError;
use crate::gpu::backend::{DeviceBuffer, Driver};

/// The properties of a run that determine the layout of arrays.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Terms {
    pub(crate) engine: Tuned,
    /// The minimum number of elements under one lock word, as a power of two.
    pub(crate) coverage_log2: u32,
    pub(crate) record: bool,
}

/// Runs with equal owners interpret lock words alike: an engine without the stages that others add to it, and the number of elements
/// that one lock word covers.
pub(super) type Owner = (Tuned, u32);

/// The lock words beside packed elements, and what an engine keeps for each of them. The components of a record have one table, so
/// a run that uses one component finds what an earlier run on another one has left.
pub(super) struct LockTable {
    backend: Arc<dyn Driver>,
    len: usize,
    coverage_log2: u32,
    /// Several arrays use it.
    pub(super) is_shared: bool,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    words: Option<DeviceBuffer>,
    /// The engine's memory of [`Scope::Locks`].
    extra: Option<DeviceBuffer>,
    /// `None` after a run that broke off, which leaves the words in an unknown state.
    owner: Option<Owner>,
}

impl LockTable {
    /// Returns an empty table.
    pub(super) fn new(backend: Arc<dyn Driver>, len: usize, coverage_log2: u32, is_shared: bool) -> LockTable {
        LockTable { backend, len, coverage_log2, is_shared, state: Mutex::default() }
    }

    /// Returns the elements under one lock word, as a power of two.
    pub(super) fn coverage_log2(&self, terms: Terms) -> u32 {
        self.coverage_log2.max(terms.coverage_log2)
    }

    /// Returns the number of lock words.
    pub(super) fn locks(&self, terms: Terms) -> u64 {
        (self.len as u64).div_ceil(1 << self.coverage_log2(terms))
    }

    pub(super) fn owner(&self, terms: Terms) -> Owner {
        (terms.engine.root(), self.coverage_log2(terms))
    }

    /// Returns its bytes for elements of that layout.
    pub(super) fn bytes(&self, terms: Terms, layout: Layout) -> u64 {
        self.word_bytes(terms, layout) + self.extra_bytes(terms)
    }

    fn word_bytes(&self, terms: Terms, layout: Layout) -> u64 {
        let lock = terms.engine.lock_bytes;
        let bytes = layout::lock_table_bytes(layout, lock, self.coverage_log2(terms), self.len) as u64;
        if has_locks(terms) { bytes } else { 0 }
    }

    fn extra_bytes(&self, terms: Terms) -> u64 {
        let Terms { engine, record, .. } = terms;
        let extent = Extent { locks: self.locks(terms), record, ..Extent::new(engine.settings) };
        engine.bytes(Scope::Locks, extent)
    }

    /// Returns the bytes that `settle` will allocate beyond those it frees.
    pub(super) fn missing_bytes(&self, terms: Terms, layout: Layout) -> u64 {
        let state = self.state();
        if self.suits(&state, terms, layout) {
            return 0;
        }
        self.bytes(terms, layout).saturating_sub(size(&state.words) + size(&state.extra))
    }

    /// Prepares the table for a run, and returns the addresses of the words and of the engine's memory. All words are 0 at the
    /// start of a recorded run, and of a run after another engine's.
    pub(super) fn settle(&self, terms: Terms, layout: Layout) -> Result<[u64; 2], GpuError> {
        let mut state = self.state();
        let suits = self.suits(&state, terms, layout);
        if !suits {
            *state = State::default();
            state.words = zeros(&self.backend, "lock words", self.word_bytes(terms, layout))?;
            state.extra = zeros(&self.backend, "versions", self.extra_bytes(terms))?;
        }
        if mutant!("arrays: a recorded run begins at old versions", suits && terms.record, false) {
            state.words.as_ref().map_or(Ok(()), DeviceBuffer::zero)?;
        }
        let extra = mutant!("arrays: versions of an earlier run stay", state.extra.as_ref(), None);
        extra.map_or(Ok(()), |extra| extra.zero_first(0, extra.bytes()))?;
        state.owner = Some(self.owner(terms));
        Ok([&state.words, &state.extra].map(|buffer| buffer.as_ref().map_or(0, DeviceBuffer::address)))
    }

    /// Marks the lock words as unknown after a run has broken off.
    pub(super) fn distrust(&self) {
        self.state().owner = None;
    }

    fn suits(&self, state: &State, terms: Terms, layout: Layout) -> bool {
        let is_owner = state.owner == Some(self.owner(terms));
        mutant!("arrays: lock words of another engine are good", is_owner, true)
            && size(&state.words) >= self.word_bytes(terms, layout)
            && size(&state.extra) == self.extra_bytes(terms)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // A step that does not finish leaves no owner, so the value is valid even after a panic.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Allocates that many zeroed bytes; no buffer for 0 bytes.
pub(super) fn zeros(
    backend: &Arc<dyn Driver>,
    what: &'static str,
    bytes: u64,
) -> Result<Option<DeviceBuffer>, GpuError> {
    if bytes == 0 {
        return Ok(None);
    }
    DeviceBuffer::zeroed(backend, what, usize::try_from(bytes).unwrap_or(usize::MAX)).map(Some)
}

pub(super) fn size(buffer: &Option<DeviceBuffer>) -> u64 {
    buffer.as_ref().map_or(0, |buffer| buffer.bytes() as u64)
}

fn has_locks(terms: Terms) -> bool {
    match terms.engine.locks {
        Locks::Always => true,
        Locks::WhenRecording => terms.record,
        Locks::Never => false,
    }
}
