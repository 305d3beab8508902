//! A region that lives on a device: in host memory until an engine needs it, then in that engine's layout.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use kernels_gen::device::launch::RegionAddress;
use kernels_gen::device::link::RegionSpec;
use kernels_gen::device::{EngineSpec, Extent, Layout, Locks};
use kernels_gen::spec::Scalar;

use super::GpuDevice;
use super::backend::{Backend, Buffer};
use super::error::GpuError;
use super::layout;
use crate::error::Error;

/// One shared array. The caller sees to it that no two runs use it at once.
pub(crate) struct GpuRegion {
    backend: Arc<dyn Backend>,
    scalar: Scalar,
    len: usize,
    coverage_log2: u32,
    /// Elements of a part; 0 for no parts.
    part: usize,
    home: Mutex<Home>,
}

/// Where the elements are.
enum Home {
    Host(Vec<u64>),
    Device(Resident),
}

struct Resident {
    layout: Layout,
    data: Buffer,
    locks: Option<Buffer>,
    /// What the engine keeps beside the region.
    extra: Option<Buffer>,
    /// The engine whose lock words these are; empty after a run that broke off, when they may say anything.
    engine: &'static str,
}

impl GpuRegion {
    /// A region that stays in host memory until a run needs it.
    pub(crate) fn new(
        device: &GpuDevice,
        scalar: Scalar,
        words: Vec<u64>,
        part: usize,
        coverage_log2: u32,
    ) -> GpuRegion {
        let (backend, len) = (device.backend(), words.len());
        GpuRegion { backend, scalar, len, coverage_log2, part, home: Mutex::new(Home::Host(words)) }
    }

    /// How many elements.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// The elements as words.
    pub(crate) fn to_words(&self) -> Result<Vec<u64>, Error> {
        match &*self.home() {
            Home::Host(words) => Ok(words.clone()),
            Home::Device(at) => Ok(layout::download(at.layout, self.scalar, self.len, &at.data)?),
        }
    }

    /// How it lies on the device under that engine.
    pub(super) fn spec(&self, engine: &EngineSpec) -> RegionSpec {
        let layout = (engine.layout)(self.scalar, 1 << self.coverage_log2);
        let coverage_log2 = if engine.locks == Locks::Never { 0 } else { self.coverage_log2 };
        RegionSpec { scalar: self.scalar, layout, coverage_log2, part: self.part as u64 }
    }

    /// Bytes on the device under that engine: elements; lock words wherever they lie, and what else it keeps.
    pub(super) fn bytes(&self, engine: &EngineSpec, record: bool) -> (u64, u64) {
        let layout = self.spec(engine).layout;
        let data = layout::data_bytes(layout, self.scalar, self.len) as u64;
        let extra = self.extra_bytes(engine, record);
        match layout {
            Layout::Cells => (data / 2, data / 2 + extra),
            Layout::Split => (data, self.lock_bytes(engine, record) + extra),
        }
    }

    /// Bytes of the lock table.
    fn lock_bytes(&self, engine: &EngineSpec, record: bool) -> u64 {
        let layout = self.spec(engine).layout;
        let bytes = layout::lock_table_bytes(layout, engine.lock_bytes, self.coverage_log2, self.len) as u64;
        if has_locks(engine, record) { bytes } else { 0 }
    }

    /// Bytes of what the engine keeps beside the elements and their locks.
    fn extra_bytes(&self, engine: &EngineSpec, record: bool) -> u64 {
        let (scalar, elements) = (self.scalar, self.len as u64);
        let locks = elements.div_ceil(1 << self.coverage_log2);
        (engine.beside)(Extent { scalar, elements, locks, record })
    }

    /// Bytes that `settle` will allocate beyond those it gives back.
    pub(super) fn missing_bytes(&self, engine: &EngineSpec, record: bool) -> u64 {
        match &*self.home() {
            Home::Device(at) if self.suits(at, engine, record) => 0,
            _ => {
                let (data, locks) = self.bytes(engine, record);
                data + locks
            }
        }
    }

    /// Puts the region into the engine's layout. A recorded run starts with all lock words 0, and so does a run after
    /// another engine's.
    pub(super) fn settle(&self, engine: &'static EngineSpec, record: bool) -> Result<RegionAddress, GpuError> {
        let mut home = self.home();
        let fits = matches!(&*home, Home::Device(at) if self.suits(at, engine, record));
        if !fits {
            self.move_to(&mut home, engine, record)?;
        }
        let Home::Device(at) = &mut *home else { unreachable!("the region was moved to the device") };
        if fits && record {
            at.locks.as_ref().map_or(Ok(()), Buffer::zero)?;
        }
        at.extra.as_ref().map_or(Ok(()), Buffer::zero)?;
        at.engine = engine.name;
        Ok(RegionAddress {
            data: at.data.address(),
            locks: at.locks.as_ref().map_or(0, Buffer::address),
            len: self.len as u64,
            extra: at.extra.as_ref().map_or(0, Buffer::address),
        })
    }

    /// Lock words can no longer be trusted: a run has broken off.
    pub(super) fn distrust(&self) {
        if let Home::Device(at) = &mut *self.home() {
            at.engine = "";
        }
    }

    fn suits(&self, at: &Resident, engine: &EngineSpec, record: bool) -> bool {
        // Cells cannot be zeroed in place: a recorded run lays them out anew.
        let fresh = record && at.layout == Layout::Cells;
        at.engine == engine.name
            && at.layout == self.spec(engine).layout
            && size(&at.locks) >= self.lock_bytes(engine, record)
            && size(&at.extra) == self.extra_bytes(engine, record)
            && !fresh
    }

    /// Lays the region out anew, over the host: rare, and one way for every pair of layouts.
    fn move_to(&self, home: &mut Home, engine: &EngineSpec, record: bool) -> Result<(), GpuError> {
        if let Home::Device(at) = &*home {
            // Both layouts need not fit into device memory at once.
            let words = layout::download(at.layout, self.scalar, self.len, &at.data)?;
            *home = Home::Host(words);
        }
        let Home::Host(words) = &*home else { unreachable!("the region is on the host now") };
        let layout = self.spec(engine).layout;
        let data = Buffer::new(&self.backend, "regions", layout::data_bytes(layout, self.scalar, self.len))?;
        layout::upload(layout, self.scalar, words, &data)?;
        let locks = self.zeros("lock words", self.lock_bytes(engine, record))?;
        let extra = self.zeros("versions", self.extra_bytes(engine, record))?;
        *home = Home::Device(Resident { layout, data, locks, extra, engine: "" });
        Ok(())
    }

    /// That many bytes, or no buffer for none.
    fn zeros(&self, what: &'static str, bytes: u64) -> Result<Option<Buffer>, GpuError> {
        if bytes == 0 {
            return Ok(None);
        }
        let buffer = Buffer::new(&self.backend, what, usize::try_from(bytes).unwrap_or(usize::MAX))?;
        buffer.zero()?;
        Ok(Some(buffer))
    }

    fn home(&self) -> MutexGuard<'_, Home> {
        // Each step replaces the whole value, so that it is good even after a panic.
        self.home.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn size(buffer: &Option<Buffer>) -> u64 {
    buffer.as_ref().map_or(0, |buffer| buffer.bytes() as u64)
}

fn has_locks(engine: &EngineSpec, record: bool) -> bool {
    match engine.locks {
        Locks::Always => true,
        Locks::WhenRecording => record,
        Locks::Never => false,
    }
}

impl std::fmt::Debug for GpuRegion {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "GpuRegion({} x {})", self.len, self.scalar.rust())
    }
}
