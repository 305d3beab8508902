//! Several devices of one host as one: each launch is divided among them, and all of them reach all memory.
//!
//! Everything above the interface of drivers is the same as for one device. A large range of memory has a part on each device; a small one is
//! on the first. A transaction runs on the device that has its elements, if they are known before it runs (`schedule/route.rs`), and it can
//! access those of any other device. So atomics of such a unit are those of the whole system (`atomics.cuh`).
//!
//! A kernel whose blocks may wait for each other runs on the first device alone (`Stage::waits`). So nothing waits for a device that is
//! lost, and a launch ends on the others as it always does.

mod copies;
mod program;

use std::ops::Range;
use std::sync::{Arc, Mutex};

use kernels_gen::device::unit::UnitSpec;

use self::copies::{Items, copy_ranges, on_each, split};
use self::program::ClusterProgram;
use super::backend::{
    Allocation, Cluster, Code, Driver, Encoding, HostSlice, HostSliceMut, Limits, Loaded, MemoryInfo, Rows, Upload,
};
use super::making::Making;
use crate::backend::Content;
use crate::error::{ForeignProblem, GpuError};

/// Memory that all devices of a cluster reach.
pub(crate) trait ClusterMemory: Send + Sync {
    /// Returns the bytes of all devices.
    fn info(&self) -> Result<MemoryInfo, GpuError>;

    /// Returns the bytes from which memory has a part on each device.
    fn divided(&self) -> u64;

    /// See [`Cluster::page`].
    fn page(&self) -> usize;

    /// Returns the bytes of an allocation that each device has, one after the other; `None` where the first one has all.
    fn part(&self, of: &Allocation) -> Option<usize>;

    /// Allocates as [`Driver::alloc`] does.
    fn alloc(&self, what: &'static str, bytes: usize) -> Result<Allocation, GpuError>;

    /// Frees as [`Driver::free`] does.
    fn free(&self, allocation: Allocation, content: Option<Content>);

    /// See [`Driver::find`].
    fn find(&self, content: Content, bytes: usize) -> Option<Allocation>;

    /// See [`Driver::forget`].
    fn forget(&self, batch: u64);
}

/// Devices that run each batch together.
pub(crate) struct ClusterBackend {
    /// At least one.
    devices: Vec<Arc<dyn Driver>>,
    memory: Arc<dyn ClusterMemory>,
    /// [`Cluster::alone`].
    alone: u64,
    /// Held while a launch is started on all devices: two launches begin in the same order on each.
    order: Arc<Mutex<()>>,
}

impl ClusterBackend {
    /// Launches of at most `alone` threads are on the first device.
    ///
    /// # Panics
    /// There is no device.
    pub(crate) fn new(devices: Vec<Arc<dyn Driver>>, memory: Arc<dyn ClusterMemory>, alone: u64) -> ClusterBackend {
        assert!(!devices.is_empty(), "a cluster has devices");
        ClusterBackend { devices, memory, alone, order: Arc::default() }
    }

    fn first(&self) -> &dyn Driver {
        &*self.devices[0]
    }

    fn cluster(&self) -> Cluster {
        let (divided, page) = (self.memory.divided(), self.memory.page());
        Cluster { devices: self.devices.len(), alone: self.alone, divided, page }
    }

    /// Returns which of these items each device copies; `None` where the first one copies all of them.
    fn shares(&self, of: &Allocation, items: Items) -> Option<Vec<Range<usize>>> {
        self.memory.part(of).map(|part| items.shares(part, self.devices.len()))
    }

    /// Loads a unit on every device. The notes and times are those of the first one, which leaves the compiled unit to the others.
    fn load_on_all(&self, unit: &UnitSpec<'_>, making: Making) -> Result<Loaded, GpuError> {
        let unit = UnitSpec { cluster: true, ..*unit };
        let first = self.first().load(Code::Unit(&unit), making)?;
        let mut programs = vec![first.program.clone()];
        for device in &self.devices[1..] {
            programs.push(device.load(Code::Unit(&unit), Making::begin())?.program);
        }
        let waiting = unit.engine.stages.iter().filter(|stage| stage.waits).map(|stage| stage.entry).collect();
        let program = ClusterProgram::new(programs, waiting, self.cluster(), self.order.clone());
        Ok(Loaded { program: Arc::new(program), ..first })
    }
}

impl Driver for ClusterBackend {
    fn describe(&self) -> String {
        format!("{} devices together: {}", self.devices.len(), self.first().describe())
    }

    fn memory(&self) -> Result<MemoryInfo, GpuError> {
        self.memory.info()
    }

    fn alloc(&self, what: &'static str, bytes: usize) -> Result<Allocation, GpuError> {
        self.memory.alloc(what, bytes)
    }

    fn free(&self, allocation: Allocation, content: Option<Content>) {
        self.memory.free(allocation, content);
    }

    fn find(&self, content: Content, bytes: usize) -> Option<Allocation> {
        self.memory.find(content, bytes)
    }

    fn forget(&self, batch: u64) {
        self.memory.forget(batch);
    }

    fn upload(&self, to: &Allocation, offset: usize, from: HostSlice<'_>) -> Result<(), GpuError> {
        self.upload_all(to, &[(offset, from)])
    }

    fn upload_all(&self, to: &Allocation, uploads: &[Upload<'_>]) -> Result<(), GpuError> {
        let mut by_device = vec![Vec::with_capacity(uploads.len()); self.devices.len()];
        let mut bytes = 0;
        for (offset, from) in uploads {
            let items = Items { offset: *offset, each: from.each(), count: from.len() };
            let Some(shares) = self.shares(to, items) else { return self.first().upload_all(to, uploads) };
            bytes += items.bytes();
            for (copies, share) in by_device.iter_mut().zip(shares).filter(|(_, share)| !share.is_empty()) {
                copies.push((offset + items.each * share.start, from.part(share)));
            }
        }
        on_each(&self.devices, by_device, bytes, |device, copies| device.upload_all(to, &copies))
    }

    fn download(&self, from: &Allocation, offset: usize, mut into: HostSliceMut<'_>) -> Result<(), GpuError> {
        self.download_seen(from, offset, into.bytes(), &|_, _| {})
    }

    fn download_seen(
        &self,
        from: &Allocation,
        offset: usize,
        into: &mut [u8],
        see: &(dyn Fn(usize, &[u8]) + Sync),
    ) -> Result<(), GpuError> {
        let items = Items { offset, each: 1, count: into.len() };
        let Some(shares) = self.shares(from, items) else { return self.first().download_seen(from, offset, into, see) };
        let copies = shares.iter().zip(split(into, &shares)).collect();
        on_each(&self.devices, copies, items.bytes(), |device, (share, into)| {
            let see = |index: usize, bytes: &[u8]| see(share.start + index, bytes);
            device.download_seen(from, offset + share.start, into, &see)
        })
    }

    fn upload_words(&self, to: &Allocation, offset: usize, words: &[u64], encoding: Encoding) -> Result<(), GpuError> {
        let items = Items { offset, each: encoding.bytes, count: words.len() };
        let Some(shares) = self.shares(to, items) else {
            return self.first().upload_words(to, offset, words, encoding);
        };
        on_each(&self.devices, shares, items.bytes(), |device, share| {
            device.upload_words(to, offset + items.each * share.start, &words[share], encoding)
        })
    }

    fn download_words(
        &self,
        from: &Allocation,
        offset: usize,
        words: &mut [u64],
        encoding: Encoding,
    ) -> Result<(), GpuError> {
        let items = Items { offset, each: encoding.bytes, count: words.len() };
        let Some(shares) = self.shares(from, items) else {
            return self.first().download_words(from, offset, words, encoding);
        };
        let copies = shares.iter().zip(split(words, &shares)).collect();
        on_each(&self.devices, copies, items.bytes(), |device, (share, words)| {
            device.download_words(from, offset + items.each * share.start, words, encoding)
        })
    }

    fn copy(&self, to: Rows<'_>, from: Rows<'_>, rows: usize, bytes: usize) -> Result<(), GpuError> {
        // A single row is divided by its bytes.
        let is_one = rows == 1;
        let (each, count) = if is_one { (1, bytes) } else { (to.pitch, rows) };
        let items = Items { offset: to.offset, each, count };
        let Some(shares) = self.shares(to.at, items) else { return self.first().copy(to, from, rows, bytes) };
        on_each(&self.devices, shares, items.bytes(), |device, share| {
            let [to, from] = [to, from].map(|of| {
                let pitch = if is_one { 1 } else { of.pitch };
                Rows { offset: of.offset + pitch * share.start, ..of }
            });
            let (rows, bytes) = if is_one { (1, share.len()) } else { (share.len(), bytes) };
            if share.is_empty() { Ok(()) } else { device.copy(to, from, rows, bytes) }
        })
    }

    fn part(&self, of: &Allocation) -> Option<usize> {
        self.memory.part(of)
    }

    fn copy_to_each(
        &self,
        to: &Allocation,
        from: (&Allocation, usize),
        ranges: &[Range<usize>],
    ) -> Result<(), GpuError> {
        let part = self.memory.part(to).expect("each device has a part");
        let bytes = ranges.iter().map(Range::len).sum();
        on_each(&self.devices, (0..self.devices.len()).collect(), bytes, |device, nth| {
            copy_ranges(device, (to, nth * part), from, ranges)
        })
    }

    fn adopt(&self, _address: u64, _bytes: usize) -> Result<Result<Allocation, ForeignProblem>, GpuError> {
        Ok(Err(ForeignProblem::Cluster))
    }

    fn zero(&self, at: &Allocation, offset: usize, bytes: usize) -> Result<(), GpuError> {
        let items = Items { offset, each: 1, count: bytes };
        let Some(shares) = self.shares(at, items) else { return self.first().zero(at, offset, bytes) };
        on_each(&self.devices, shares, bytes, |device, share| {
            if share.is_empty() { Ok(()) } else { device.zero(at, offset + share.start, share.len()) }
        })
    }

    // Kernels of a device do not wait for work of another one, so it is done when this returns.
    fn zero_first(&self, at: &Allocation, offset: usize, bytes: usize) -> Result<(), GpuError> {
        self.zero(at, offset, bytes)
    }

    fn settle(&self) -> Result<(), GpuError> {
        Ok(())
    }

    fn load(&self, code: Code<'_>, making: Making) -> Result<Loaded, GpuError> {
        match code {
            // It knows nothing of other devices.
            Code::Text(_) => self.first().load(code, making),
            Code::Unit(unit) => self.load_on_all(unit, making),
        }
    }

    fn limits(&self) -> Limits {
        let first = self.first().limits();
        Limits { threads: self.devices.len() as u64 * first.threads, cluster: self.cluster(), ..first }
    }

    fn alone(&self) -> Option<(Arc<dyn Driver>, u64)> {
        (self.alone > 0).then(|| (self.devices[0].clone(), self.memory.divided()))
    }
}
