//! An array on a device: it is in host memory until an engine needs it, then in that engine's layout.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use kernels_gen::abi::launch::ArrayAddress;
use kernels_gen::device::unit::ArraySpec;
use kernels_gen::device::{Content, Extent, Layout, Locks, Scope, Tuned};
use kernels_gen::spec::Scalar;

use super::layout;
use crate::backend::{ArrayShape, ArrayStore};
use crate::error::{Error, GpuError};
use crate::gpu::backend::{DeviceBuffer, Driver, HostSliceMut};
use crate::gpu::device::GpuDevice;
use crate::memory;

/// One shared array. The caller makes sure that no two runs use it at once.
pub(crate) struct GpuArray {
    backend: Arc<dyn Driver>,
    scalar: Scalar,
    len: usize,
    coverage_log2: u32,
    /// Elements of a partition; 0 for no partitions.
    part: usize,
    space: Mutex<MemorySpace>,
}

/// Where the elements are stored.
enum MemorySpace {
    Host(Vec<u64>),
    Device(Resident),
}

struct Resident {
    layout: Layout,
    data: DeviceBuffer,
    locks: Option<DeviceBuffer>,
    /// The engine's auxiliary memory of the array.
    extra: Option<DeviceBuffer>,
    /// The owner of the lock words; `None` after a run that broke off, which leaves them in an unknown state.
    owner: Option<Owner>,
}

/// Runs with equal owners interpret lock words alike: an engine, and the number of elements that one lock word covers.
type Owner = (Tuned, u32);

/// The properties of a run that determine the layout of arrays.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Terms {
    pub(crate) engine: Tuned,
    /// The minimum number of elements under one lock word, as a power of two.
    pub(crate) coverage_log2: u32,
    pub(crate) record: bool,
}

impl ArrayStore for GpuArray {
    fn words(&self) -> Result<Vec<u64>, Error> {
        match &*self.space() {
            MemorySpace::Host(words) => Ok(memory::copied("a copy of a shared array", words)?),
            MemorySpace::Device(at) => Ok(layout::download(at.layout, self.scalar, self.len, &at.data)?),
        }
    }
}

impl GpuArray {
    /// Returns an array that stays in host memory until a run needs it.
    pub(crate) fn new(device: &GpuDevice, shape: ArrayShape, words: Vec<u64>) -> GpuArray {
        let ArrayShape { scalar, len, part, coverage_log2 } = shape;
        GpuArray {
            backend: device.backend(),
            scalar,
            len,
            coverage_log2,
            part,
            space: Mutex::new(MemorySpace::Host(words)),
        }
    }

    /// Returns the number of elements.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Returns its layout on the device under those terms.
    pub(crate) fn spec(&self, terms: Terms) -> ArraySpec {
        let layout = (terms.engine.layout)(self.scalar, 1 << self.coverage_log2(terms));
        let coverage_log2 = if terms.engine.locks == Locks::Never { 0 } else { self.coverage_log2(terms) };
        ArraySpec { scalar: self.scalar, layout, coverage_log2, part: self.part as u64 }
    }

    fn coverage_log2(&self, terms: Terms) -> u32 {
        self.coverage_log2.max(terms.coverage_log2)
    }

    /// Returns its bytes on the device under those terms: elements, then lock words and auxiliary memory.
    pub(crate) fn bytes(&self, terms: Terms) -> (u64, u64) {
        let layout = self.spec(terms).layout;
        let data = layout::data_bytes(layout, self.scalar, self.len) as u64;
        let extra = self.extra_bytes(terms);
        match layout {
            Layout::Cells => (data / 2, data / 2 + extra),
            Layout::Split => (data, self.lock_bytes(terms) + extra),
        }
    }

    /// Returns the bytes of the lock table.
    fn lock_bytes(&self, terms: Terms) -> u64 {
        let layout = self.spec(terms).layout;
        let lock = terms.engine.lock_bytes;
        let bytes = layout::lock_table_bytes(layout, lock, self.coverage_log2(terms), self.len) as u64;
        if has_locks(terms) { bytes } else { 0 }
    }

    /// Returns the bytes of the engine's auxiliary memory.
    fn extra_bytes(&self, terms: Terms) -> u64 {
        terms.engine.bytes(Scope::Array, self.extent(terms))
    }

    /// Returns the quantities that the size of the engine's memory depends on.
    fn extent(&self, terms: Terms) -> Extent {
        let Terms { engine, record, .. } = terms;
        let (scalar, elements) = (self.scalar, self.len as u64);
        let locks = elements.div_ceil(1 << self.coverage_log2(terms));
        Extent { scalar, elements, locks, record, ..Extent::new(engine.settings) }
    }

    /// Returns the bytes that `settle` will allocate beyond those it frees.
    pub(crate) fn missing_bytes(&self, terms: Terms) -> u64 {
        let (data, locks) = self.bytes(terms);
        match &*self.space() {
            MemorySpace::Device(at) if self.suits(at, terms) => 0,
            MemorySpace::Device(at) => {
                (data + locks).saturating_sub(at.data.bytes() as u64 + size(&at.locks) + size(&at.extra))
            }
            MemorySpace::Host(_) => data + locks,
        }
    }

    /// Converts the array to the engine's layout. All lock words are 0 at the start of a recorded run, and of a run after another
    /// engine's.
    pub(crate) fn settle(&self, terms: Terms) -> Result<ArrayAddress, GpuError> {
        let mut space = self.space();
        let fits = matches!(&*space, MemorySpace::Device(at) if self.suits(at, terms));
        if !fits {
            self.move_to(&mut space, terms)?;
        }
        let MemorySpace::Device(at) = &mut *space else { unreachable!("the array was moved to the device") };
        if mutant!("arrays: a recorded run begins at old versions", fits && terms.record, false) {
            at.locks.as_ref().map_or(Ok(()), DeviceBuffer::zero)?;
        }
        let extra = mutant!("arrays: versions of an earlier run stay", at.extra.as_ref(), None);
        extra.map_or(Ok(()), DeviceBuffer::zero)?;
        at.owner = Some(self.owner(terms));
        Ok(ArrayAddress {
            data: at.data.address(),
            locks: at.locks.as_ref().map_or(0, DeviceBuffer::address),
            len: self.len as u64,
            extra: at.extra.as_ref().map_or(0, DeviceBuffer::address),
        })
    }

    /// Returns the words of a content in the engine's auxiliary memory, one for each element; empty if it is not on the device.
    pub(crate) fn content(&self, terms: Terms, content: Content) -> Result<Vec<u64>, GpuError> {
        let MemorySpace::Device(Resident { extra: Some(extra), .. }) = &*self.space() else { return Ok(Vec::new()) };
        let Some(offset) = terms.engine.offset_of(content, self.extent(terms)) else { return Ok(Vec::new()) };
        let mut words = memory::zeroed("a report", self.len)?;
        extra.download(offset as usize, HostSliceMut::U64(&mut words))?;
        Ok(words)
    }

    /// Marks the lock words as unknown after a run has broken off.
    pub(crate) fn distrust(&self) {
        if let MemorySpace::Device(at) = &mut *self.space() {
            at.owner = None;
        }
    }

    fn owner(&self, terms: Terms) -> Owner {
        (terms.engine, self.coverage_log2(terms))
    }

    fn suits(&self, at: &Resident, terms: Terms) -> bool {
        // Cells cannot be zeroed in place, so a recorded run lays them out again.
        let fresh = mutant!("arrays: cells keep their versions", terms.record && at.layout == Layout::Cells, false);
        let is_owner = at.owner == Some(self.owner(terms));
        mutant!("arrays: lock words of another engine are good", is_owner, true)
            && at.layout == self.spec(terms).layout
            && size(&at.locks) >= self.lock_bytes(terms)
            && size(&at.extra) == self.extra_bytes(terms)
            && !fresh
    }

    /// Lays the array out again: packed elements stay in place, all other elements are copied through the host.
    fn move_to(&self, space: &mut MemorySpace, terms: Terms) -> Result<(), GpuError> {
        let layout = self.spec(terms).layout;
        if let MemorySpace::Device(at) = &mut *space
            && at.layout == Layout::Split
            && layout == Layout::Split
        {
            (at.owner, at.locks, at.extra) = (None, None, None);
            at.locks = self.zeros("lock words", self.lock_bytes(terms))?;
            at.extra = self.zeros("versions", self.extra_bytes(terms))?;
            return Ok(());
        }
        if let MemorySpace::Device(at) = &*space {
            // Device memory need not hold both layouts at once.
            let words = layout::download(at.layout, self.scalar, self.len, &at.data)?;
            *space = MemorySpace::Host(words);
        }
        let MemorySpace::Host(words) = &*space else { unreachable!("the array is on the host now") };
        let data = DeviceBuffer::new(&self.backend, "arrays", layout::data_bytes(layout, self.scalar, self.len))?;
        layout::upload(layout, self.scalar, words, &data)?;
        let locks = self.zeros("lock words", self.lock_bytes(terms))?;
        let extra = self.zeros("versions", self.extra_bytes(terms))?;
        *space = MemorySpace::Device(Resident { layout, data, locks, extra, owner: None });
        Ok(())
    }

    /// Allocates that many zeroed bytes; no buffer for 0 bytes.
    fn zeros(&self, what: &'static str, bytes: u64) -> Result<Option<DeviceBuffer>, GpuError> {
        if bytes == 0 {
            return Ok(None);
        }
        DeviceBuffer::zeroed(&self.backend, what, usize::try_from(bytes).unwrap_or(usize::MAX)).map(Some)
    }

    fn space(&self) -> MutexGuard<'_, MemorySpace> {
        // Each step replaces the whole value, so it is valid even after a panic.
        self.space.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn size(buffer: &Option<DeviceBuffer>) -> u64 {
    buffer.as_ref().map_or(0, |buffer| buffer.bytes() as u64)
}

fn has_locks(terms: Terms) -> bool {
    match terms.engine.locks {
        Locks::Always => true,
        Locks::WhenRecording => terms.record,
        Locks::Never => false,
    }
}

impl std::fmt::Debug for GpuArray {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "GpuArray({} x {})", self.len, self.scalar.rust())
    }
}
