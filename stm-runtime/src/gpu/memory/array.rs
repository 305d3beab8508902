//! An array on a device. It lies there packed from its first element on, and from the first run on in the layout of its engine. Few elements
//! wait in host memory for that run: they are then copied once, to the layout that it needs, and not at all if it runs on the host. Where
//! batches run on the cores of the host, it stays in an array of theirs.

use std::any::{Any, TypeId};
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use kernels_gen::abi::launch::ArrayAddress;
use kernels_gen::device::unit::{ArraySpec, ArrayUse};
use kernels_gen::device::{Content, Extent, Layout, Scope};
use kernels_gen::spec::Scalar;

use super::home::Home;
use super::locks::{LockTable, Owner, Terms, size, zeros};
use super::missed::Missed;
use super::{device_columns, layout};
use crate::backend::{Array, ArrayShape, ArrayStore, Foreign, Granularity};
use crate::columns::Column;
use crate::device_cells::Place;
use crate::error::{Error, GpuError};
use crate::gpu::backend::{DeviceBuffer, Driver, HostSlice, HostSliceMut};
use crate::gpu::device::GpuDevice;
use crate::memory;
use crate::new_rows::CellsMut;
use crate::tx::CpuArray;

/// One shared array. The caller makes sure that no two runs use it, or its lock table, at once.
pub(crate) struct GpuArray {
    backend: Arc<dyn Driver>,
    pub(super) scalar: Scalar,
    len: usize,
    /// Elements of a partition; 0 for no partitions.
    part: usize,
    /// The lock words beside the elements. The components of a record have one table.
    pub(super) table: Arc<LockTable>,
    space: Mutex<MemorySpace>,
    /// Memory of another owner, where the elements are while they lie packed on the device.
    home: Mutex<Option<Home>>,
    pub(crate) missed: Missed,
}

/// The most elements that wait in host memory for the first run. To allocate and to copy takes longer than to write so few.
const FEW: usize = if cfg!(test) { 1 << 6 } else { 1 << 13 };

/// Where the elements are stored.
enum MemorySpace {
    /// Nowhere yet: all are 0.
    Nowhere,
    Host(Vec<u64>),
    /// In an array of CPU threads, since a run on the cores of the host.
    Cores(Array),
    Device(Resident),
}

/// The place of an array between runs.
pub(crate) enum ArrayPlace {
    /// Host memory.
    Host,
    /// An array of CPU threads.
    Cores(Array),
    /// Device memory.
    Device,
}

struct Resident {
    layout: Layout,
    data: DeviceBuffer,
    /// The engine's auxiliary memory of the array.
    extra: Option<DeviceBuffer>,
    /// The owner of the lock words in cells; `None` after a run that broke off, which leaves them in an unknown state.
    owner: Option<Owner>,
}

impl ArrayStore for GpuArray {
    fn read(&self, first: usize, words: &mut [u64]) -> Result<(), Error> {
        match &*self.space() {
            MemorySpace::Nowhere => words.fill(0),
            MemorySpace::Host(all) => words.copy_from_slice(&all[first..][..words.len()]),
            MemorySpace::Cores(array) => array.read(first, words)?,
            MemorySpace::Device(at) => layout::download_from(at.layout, self.scalar, first, words, &at.data)?,
        }
        Ok(())
    }

    fn read_values(&self, first: usize, values: &mut CellsMut<'_>) -> Result<bool, Error> {
        let MemorySpace::Device(Resident { layout: Layout::Split, data, .. }) = &*self.space() else {
            return Ok(false);
        };
        data.download(layout::offset(Layout::Split, self.scalar, first), HostSliceMut::U8(values.bytes()))?;
        Ok(true)
    }

    fn write(&self, first: usize, words: &[u64]) -> Result<(), Error> {
        match &mut *self.begun()? {
            MemorySpace::Nowhere => unreachable!("the array has begun"),
            MemorySpace::Host(all) => all[first..][..words.len()].copy_from_slice(words),
            MemorySpace::Cores(array) => array.write(first, words)?,
            // Lock words of cells that become 0 are free, and older than all others.
            MemorySpace::Device(at) => layout::upload_from(at.layout, self.scalar, first, words, &at.data)?,
        }
        Ok(())
    }

    fn write_values(&self, first: usize, values: &Column<'_>) -> Result<bool, Error> {
        let space = self.begun()?;
        let MemorySpace::Device(Resident { layout: Layout::Split, data, .. }) = &*space else { return Ok(false) };
        Ok(data.upload(layout::offset(Layout::Split, self.scalar, first), HostSlice::of(values)).map(|()| true)?)
    }

    fn packed(&self) -> Result<Option<u64>, Error> {
        let mut space = self.space();
        if !matches!(&*space, MemorySpace::Device(at) if at.layout == Layout::Split) {
            self.move_to(&mut space, Layout::Split)?;
        }
        let MemorySpace::Device(at) = &*space else { unreachable!("the array was moved to the device") };
        Ok(Some(at.data.address()))
    }

    fn copy(&self, to: usize, source: &dyn Any, from: usize, len: usize) -> Result<bool, Error> {
        let Some(source) = source.downcast_ref::<GpuArray>() else { return Ok(false) };
        let (mut own, other) = (self.space(), source.space());
        let MemorySpace::Device(other) = &*other else { return Ok(false) };
        // Where there is no room for it, the caller copies through the host, which also reports a lost context.
        let Ok(own) = self.placed(&mut own) else { return Ok(false) };
        if own.layout != other.layout {
            layout::copy_values(self.scalar, len, (other.layout, &other.data, from), (own.layout, &own.data, to))?;
            return Ok(true);
        }
        // Cells are copied with their lock words, which mean the same to equal owners alone.
        if own.layout == Layout::Cells && (own.owner.is_none() || own.owner != other.owner) {
            return Ok(false);
        }
        let bytes = |elements| layout::data_bytes(own.layout, self.scalar, elements);
        Ok(own.data.copy(bytes(to), &other.data, bytes(from), bytes(len)).map(|()| true)?)
    }

    fn repeat(&self, elements: Range<usize>, known: usize) -> Result<bool, Error> {
        let MemorySpace::Device(at) = &*self.space() else { return Ok(false) };
        Ok(layout::repeat(at.layout, self.scalar, &at.data, elements, known).map(|()| true)?)
    }

    fn column(&self, elements: Range<usize>) -> Result<Option<Place>, Error> {
        let copy = DeviceBuffer::new(&self.backend, device_columns::WHAT, self.scalar.size() * elements.len())?;
        match &*self.space() {
            MemorySpace::Nowhere => copy.zero()?,
            MemorySpace::Host(words) => layout::upload(Layout::Split, self.scalar, &words[elements], &copy)?,
            MemorySpace::Cores(array) => {
                let mut words = memory::zeroed(device_columns::WHAT, elements.len())?;
                array.read(elements.start, &mut words)?;
                layout::upload(Layout::Split, self.scalar, &words, &copy)?;
            }
            MemorySpace::Device(at) => {
                let from = (at.layout, &at.data, elements.start);
                layout::copy_values(self.scalar, elements.len(), from, (Layout::Split, &copy, 0))?;
            }
        }
        Ok(Some(device_columns::placed(&self.backend, copy, None)))
    }

    fn adopt(&self, foreign: &mut Foreign) -> Result<(), Error> {
        let mut home = Home::new(&self.backend, foreign, self.scalar, self.len)?;
        let data = self.fresh(Layout::Split, Some(&home))?;
        home.exchange(&data, false)?;
        *self.space() = MemorySpace::Device(Resident { layout: Layout::Split, data, extra: None, owner: None });
        home.owner = foreign.owner.take();
        *self.home() = Some(home);
        Ok(())
    }

    fn give_back(&self, owner: TypeId) -> Result<Option<Box<dyn Any + Send>>, Error> {
        if !self.home().as_ref().is_some_and(|home| home.is_of(owner)) {
            return Ok(None);
        }
        self.packed()?;
        let (mut space, mut home) = (self.space(), self.home());
        if let (MemorySpace::Device(at), Some(home)) = (&*space, &*home) {
            home.exchange(&at.data, true)?;
        }
        *space = MemorySpace::Nowhere;
        Ok(home.take().and_then(|mut home| home.owner.take()))
    }
}

impl GpuArray {
    /// Returns the arrays of a record's components, with zeros, which take no memory.
    pub(crate) fn of_components(device: &GpuDevice, shapes: &[ArrayShape], granularity: Granularity) -> Vec<GpuArray> {
        let is_shared = granularity == Granularity::Record && shapes.len() > 1;
        let table =
            |shape: &ArrayShape| Arc::new(LockTable::new(device.backend(), shape.len, shape.coverage_log2, is_shared));
        let shared = shapes.first().filter(|_| is_shared).map(table);
        let array = |shape: &ArrayShape| GpuArray {
            backend: device.backend(),
            scalar: shape.scalar,
            len: shape.len,
            part: shape.part,
            table: shared.clone().unwrap_or_else(|| table(shape)),
            space: Mutex::new(MemorySpace::Nowhere),
            home: Mutex::default(),
            missed: Missed::default(),
        };
        shapes.iter().map(array).collect()
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Returns its layout on the device under those terms, as a member of a group.
    pub(super) fn spec(&self, terms: Terms, group: usize) -> ArraySpec {
        let coverage_log2 = if terms.engine.locks_records() { self.table.coverage_log2(terms) } else { 0 };
        let (scalar, layout, part) = (self.scalar, self.layout(terms), self.part as u64);
        ArraySpec { scalar, layout, coverage_log2, part, group, used: ArrayUse::Locked }
    }

    /// Returns its layout in a run whose engine does not see it: the present one. `at` is its index.
    pub(super) fn unseen_spec(&self, at: usize, used: ArrayUse) -> ArraySpec {
        let (scalar, layout, part) = (self.scalar, self.unseen_layout(), self.part as u64);
        ArraySpec { scalar, layout, coverage_log2: 0, part, group: at, used }
    }

    fn unseen_layout(&self) -> Layout {
        match &*self.space() {
            MemorySpace::Device(at) => at.layout,
            _ => Layout::Split,
        }
    }

    pub(super) fn layout(&self, terms: Terms) -> Layout {
        terms.engine.layout_of(self.scalar, 1 << self.table.coverage_log2(terms), self.table.is_shared)
    }

    /// Returns its bytes on the device under those terms, without the lock table: elements, then lock words in cells and auxiliary
    /// memory.
    pub(super) fn bytes(&self, terms: Terms) -> (u64, u64) {
        let (data, locks) = self.bytes_of(self.layout(terms));
        (data, locks + self.extra_bytes(terms))
    }

    /// Returns the same for a run whose engine does not see it.
    pub(super) fn unseen_bytes(&self) -> (u64, u64) {
        self.bytes_of(self.unseen_layout())
    }

    /// Returns the bytes of elements and of lock words in cells.
    fn bytes_of(&self, layout: Layout) -> (u64, u64) {
        let data = layout::data_bytes(layout, self.scalar, self.len) as u64;
        match layout {
            Layout::Cells => (data / 2, data / 2),
            Layout::Split => (data, 0),
        }
    }

    /// Returns the bytes of the engine's auxiliary memory.
    pub(super) fn extra_bytes(&self, terms: Terms) -> u64 {
        terms.engine.bytes(Scope::Array, self.extent(terms))
    }

    /// Returns the quantities that the size of the engine's memory depends on.
    fn extent(&self, terms: Terms) -> Extent {
        let Terms { engine, record, .. } = terms;
        let (scalar, elements, locks) = (self.scalar, self.len as u64, self.table.locks(terms));
        Extent { scalar, elements, locks, record, ..Extent::new(engine.settings) }
    }

    /// Returns the bytes that `settle` will allocate beyond those it frees.
    pub(super) fn missing_bytes(&self, terms: Terms) -> u64 {
        let (data, extra) = self.bytes(terms);
        match &*self.space() {
            MemorySpace::Device(at) if self.suits(at, terms) => self.extra_bytes(terms).saturating_sub(size(&at.extra)),
            MemorySpace::Device(at) => (data + extra).saturating_sub(at.data.own_bytes() as u64 + size(&at.extra)),
            _ => data + extra,
        }
    }

    /// Returns the bytes that `settle_unseen` will allocate.
    pub(super) fn missing_unseen_bytes(&self) -> u64 {
        match &*self.space() {
            MemorySpace::Device(_) => 0,
            _ => self.bytes_of(Layout::Split).0,
        }
    }

    /// Moves the array to the device for a run whose engine does not see it. One that is there stays as it is, with its lock words.
    pub(super) fn settle_unseen(&self) -> Result<ArrayAddress, GpuError> {
        let mut space = self.space();
        let at = self.placed(&mut space)?;
        Ok(ArrayAddress { data: at.data.address(), len: self.len as u64, ..ArrayAddress::default() })
    }

    /// Converts the array to the engine's layout. `table` has the addresses of the lock words, and of the engine's memory for them.
    pub(super) fn settle(&self, terms: Terms, table: [u64; 2]) -> Result<ArrayAddress, GpuError> {
        let mut space = self.space();
        if !matches!(&*space, MemorySpace::Device(at) if self.suits(at, terms)) {
            self.move_to(&mut space, self.layout(terms))?;
        }
        let MemorySpace::Device(at) = &mut *space else { unreachable!("the array was moved to the device") };
        if size(&at.extra) != self.extra_bytes(terms) {
            at.extra = None;
            at.extra = zeros(&self.backend, "versions", self.extra_bytes(terms))?;
        }
        let extra = mutant!("arrays: versions of an earlier run stay", at.extra.as_ref(), None);
        extra.map_or(Ok(()), DeviceBuffer::zero)?;
        at.owner = Some(self.table.owner(terms));
        let [locks, beside_locks] = table;
        // An engine keeps something for each lock word or for each element, not both.
        let extra = at.extra.as_ref().map_or(beside_locks, DeviceBuffer::address);
        Ok(ArrayAddress { data: at.data.address(), locks, len: self.len as u64, extra })
    }

    /// Gives a function the elements, if they are on the device.
    pub(super) fn with_elements<T>(&self, take: impl FnOnce(&DeviceBuffer) -> T) -> Option<T> {
        if let MemorySpace::Device(at) = &*self.space() { Some(take(&at.data)) } else { None }
    }

    /// Lets the elements be in an array of CPU threads that has them already. They move to the device when it needs them.
    pub(crate) fn stay_in(&self, array: Array) {
        let space = &mut *self.space();
        if !matches!(space, MemorySpace::Cores(_)) {
            self.missed.forget();
        }
        *space = MemorySpace::Cores(array);
    }

    /// Returns where the elements are.
    pub(crate) fn place(&self) -> ArrayPlace {
        match &*self.space() {
            MemorySpace::Nowhere | MemorySpace::Host(_) => ArrayPlace::Host,
            MemorySpace::Cores(array) => ArrayPlace::Cores(array.clone()),
            MemorySpace::Device(_) => ArrayPlace::Device,
        }
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
    pub(super) fn distrust(&self) {
        self.table.distrust();
        if let MemorySpace::Device(at) = &mut *self.space() {
            at.owner = None;
        }
    }

    /// Returns whether the elements, and lock words in cells, can stay as they are.
    fn suits(&self, at: &Resident, terms: Terms) -> bool {
        let are_cells = at.layout == Layout::Cells;
        // Cells cannot be zeroed in place, so a recorded run lays them out again.
        let fresh = mutant!("arrays: cells keep their versions", terms.record && are_cells, false);
        let is_owner = !are_cells || at.owner == Some(self.table.owner(terms));
        mutant!("arrays: lock words of another engine are good", is_owner, true)
            && at.layout == self.layout(terms)
            && !fresh
    }

    /// Gives the elements a place before the first of them is written: here a device that is too small is found out.
    fn begun(&self) -> Result<MutexGuard<'_, MemorySpace>, Error> {
        let mut space = self.space();
        match &*space {
            MemorySpace::Nowhere if self.len > FEW => _ = self.placed(&mut space)?,
            MemorySpace::Nowhere => *space = MemorySpace::Host(memory::zeroed("a shared array", self.len)?),
            _ => {}
        }
        Ok(space)
    }

    /// Returns where the array is on the device. One that is elsewhere moves there.
    fn placed<'s>(&self, space: &'s mut MemorySpace) -> Result<&'s mut Resident, GpuError> {
        if !matches!(space, MemorySpace::Device(_)) {
            self.move_to(space, Layout::Split)?;
        }
        let MemorySpace::Device(at) = space else { unreachable!("the array was moved to the device") };
        Ok(at)
    }

    /// Lays the array out again.
    fn move_to(&self, space: &mut MemorySpace, layout: Layout) -> Result<(), GpuError> {
        if let MemorySpace::Device(at) = &*space {
            match self.moved(at, layout) {
                Ok(data) => {
                    *space = MemorySpace::Device(Resident { layout, data, extra: None, owner: None });
                    return Ok(());
                }
                Err(lost @ GpuError::ContextLost { .. }) => return Err(lost),
                // Device memory need not hold both layouts at once, so the elements are copied through the host.
                Err(_) => {
                    let words = layout::download(at.layout, self.scalar, self.len, &at.data)?;
                    *space = MemorySpace::Host(words);
                }
            }
        }
        if let MemorySpace::Cores(array) = &*space {
            let mut words = memory::zeroed("a shared array", self.len)?;
            let mut read = || array.store().map(|array: &CpuArray| array.read(0, &mut words));
            mutant!("arrays: what the host changed stays there", read(), None);
            *space = MemorySpace::Host(words);
        }
        let data = self.fresh(layout, self.home().as_ref())?;
        match &*space {
            MemorySpace::Host(words) => layout::upload(layout, self.scalar, words, &data)?,
            // Lock words of cells are free then. Other code may be given the memory, so they are there when this returns.
            _ => mutant!("arrays: zeros are what was there before", data.zero()?, ()),
        }
        self.missed.forget();
        *space = MemorySpace::Device(Resident { layout, data, extra: None, owner: None });
        Ok(())
    }

    /// Returns a copy of the elements in that layout, made on the device.
    fn moved(&self, at: &Resident, layout: Layout) -> Result<DeviceBuffer, GpuError> {
        let data = self.fresh(layout, self.home().as_ref())?;
        layout::convert(self.scalar, self.len, (at.layout, &at.data), (layout, &data))?;
        Ok(data)
    }

    /// Returns memory for the elements: that of another owner, if they can be there.
    fn fresh(&self, layout: Layout, home: Option<&Home>) -> Result<DeviceBuffer, GpuError> {
        if let Some(data) = home.filter(|_| layout == Layout::Split).and_then(Home::packed) {
            return Ok(data);
        }
        // Atomics on an element of one or two bytes use the whole word that it is in.
        let bytes = layout::data_bytes(layout, self.scalar, self.len).next_multiple_of(layout::WORD);
        DeviceBuffer::new(&self.backend, "arrays", bytes)
    }

    fn home(&self) -> MutexGuard<'_, Option<Home>> {
        self.home.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn space(&self) -> MutexGuard<'_, MemorySpace> {
        // Each step replaces the whole value, so it is valid even after a panic.
        self.space.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl std::fmt::Debug for GpuArray {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "GpuArray({} x {})", self.len, self.scalar.rust())
    }
}

#[cfg(all(any(test, feature = "mutation"), feature = "emulator"))]
#[path = "array_tests.rs"]
pub(crate) mod tests;
