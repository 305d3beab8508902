//! Runs generated CUDA C on host threads, where there is no GPU: for tests and debugging.
//!
//! The host's C++ compiler compiles the unit under a shim of CUDA C (`shim/`), and it is called as a shared library. It is the
//! same text as on the device, under the same run loop. It cannot show the device's weak memory order, lock-step
//! warps, or scopes that are too narrow.

mod build;
mod compiler;
mod memory;
mod options;
mod program;

use std::sync::atomic::AtomicU64;
use std::sync::{Arc, OnceLock};

use kernels_gen::abi::routes::MOST_DEVICES;
use kernels_gen::device::link::BLOCK;

use super::backend::{
    ALONG, Allocation, Cluster, Code, Driver, HostSlice, HostSliceMut, HostUse, Limits, Loaded, MemoryInfo, Rows,
};
use super::cache::{DiskCache, MemoryCache, UnitCache};
use super::cluster::{ClusterBackend, ClusterMemory};
use super::dump;
use super::making::Making;
use crate::backend::Content;
use crate::error::{ForeignProblem, GpuError};
use build::Build;
use compiler::{HostCompiler, trouble};
use memory::EmulatedMemory;
use program::{EmulatedProgram, UnitLibrary};

pub use options::{EmulatorOptions, Sanitizer, Schedule};

/// The most bytes of shared memory of a block, as on an H100.
const BLOCK_MEMORY: u32 = 227 * 1024;

/// A device emulated on host threads.
pub(crate) struct EmulatorBackend {
    options: EmulatorOptions,
    disk: DiskCache,
    memory: Arc<EmulatedMemory>,
    /// The number of launches so far: each has its own interleaving, derived from the one seed.
    launches: Arc<AtomicU64>,
    /// The libraries of the units that this device has loaded.
    units: UnitCache<Arc<UnitLibrary>>,
}

impl EmulatorBackend {
    /// Finds the compiler; the first unit is compiled later.
    pub(crate) fn open(options: EmulatorOptions) -> Result<EmulatorBackend, GpuError> {
        // Kernels have room in block memory for the warps of no larger block. A GPU would refuse to launch one.
        if !(32..=BLOCK).contains(&options.block) || !options.block.is_multiple_of(32) {
            return Err(trouble(format!("a block of {} threads; use a multiple of 32 up to {BLOCK}", options.block)));
        }
        if options.threads == 0 || options.devices == 0 {
            return Err(trouble("0 devices, or 0 threads of a device; use at least 1 of each".into()));
        }
        if options.devices > MOST_DEVICES {
            return Err(GpuError::TooManyDevices { devices: options.devices, most: MOST_DEVICES });
        }
        if options.devices > 1 && options.schedule != Schedule::Threads {
            return Err(trouble("several devices in an order by a seed; use `Schedule::Threads` for them".into()));
        }
        let compiler = HostCompiler::find()?;
        if let Some(sanitizer) = options.sanitizer.filter(|sanitizer| !program::is_loaded(*sanitizer)) {
            let (library, environment) = (compiler.library_of(sanitizer), sanitizer.environment());
            return Err(trouble(format!(
                "a sanitizer must be there from the start; set LD_PRELOAD={library} and {environment}"
            )));
        }
        let memory = Arc::new(EmulatedMemory::new(options.memory));
        Ok(EmulatorBackend {
            options,
            disk: DiskCache::from_env(),
            memory,
            launches: Arc::new(AtomicU64::new(0)),
            units: UnitCache::new(),
        })
    }

    /// Returns the devices of these options: several are one backend, with one memory.
    pub(crate) fn cluster(options: EmulatorOptions) -> Result<Arc<dyn Driver>, GpuError> {
        let (devices, backend) = (options.devices, Arc::new(EmulatorBackend::open(options)?));
        if devices == 1 {
            return Ok(backend);
        }
        let all: Vec<Arc<dyn Driver>> = (0..devices).map(|_| backend.clone() as Arc<dyn Driver>).collect();
        // However few threads there are, tests mean to have them on all devices.
        Ok(Arc::new(ClusterBackend::new(all, backend, 0)))
    }

    /// Returns the loaded units, shared by all emulated devices: a unit does not depend on the schedule.
    fn libraries() -> &'static MemoryCache<Arc<UnitLibrary>> {
        static LIBRARIES: OnceLock<MemoryCache<Arc<UnitLibrary>>> = OnceLock::new();
        LIBRARIES.get_or_init(MemoryCache::new)
    }

    fn build<'a>(&'a self, compiler: &'a HostCompiler) -> Build<'a> {
        let sanitizer = self.options.sanitizer;
        // A sanitizer's library belongs to one compiler.
        let quick = HostCompiler::quick().filter(|_| sanitizer.is_none());
        Build { compiler, quick, cache: &self.disk, sanitizer }
    }

    fn program(&self, library: Arc<UnitLibrary>) -> Arc<EmulatedProgram> {
        Arc::new(EmulatedProgram::new(library, self.options.clone(), self.launches.clone(), self.memory.clone()))
    }
}

/// One memory is that of all devices.
impl ClusterMemory for EmulatorBackend {
    fn info(&self) -> Result<MemoryInfo, GpuError> {
        Driver::memory(self)
    }

    fn divided(&self) -> u64 {
        0
    }

    // So small that tests have several, and as large as a cell.
    fn page(&self) -> usize {
        16
    }

    fn part(&self, of: &Allocation) -> Option<usize> {
        Some(of.bytes.div_ceil(self.options.devices).next_multiple_of(self.page()))
    }

    fn alloc(&self, what: &'static str, bytes: usize) -> Result<Allocation, GpuError> {
        Driver::alloc(self, what, bytes)
    }

    fn free(&self, allocation: Allocation, content: Option<Content>) {
        Driver::free(self, allocation, content);
    }

    fn find(&self, content: Content, bytes: usize) -> Option<Allocation> {
        Driver::find(self, content, bytes)
    }

    fn forget(&self, batch: u64) {
        Driver::forget(self, batch);
    }
}

impl Driver for EmulatorBackend {
    fn describe(&self) -> String {
        match self.options.schedule {
            Schedule::Threads => "emulator (host threads)".into(),
            Schedule::Fibers { seed } => format!("emulator (fibers, seed {seed})"),
        }
    }

    fn memory(&self) -> Result<MemoryInfo, GpuError> {
        Ok(self.memory.info())
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
        self.memory.forget(|content| content.batch == batch);
    }

    fn upload(&self, to: &Allocation, offset: usize, from: HostSlice<'_>) -> Result<(), GpuError> {
        self.memory.write(to, offset, from.bytes());
        Ok(())
    }

    fn download(&self, from: &Allocation, offset: usize, mut into: HostSliceMut<'_>) -> Result<(), GpuError> {
        self.memory.read(from, offset, into.bytes());
        Ok(())
    }

    fn copy(&self, to: Rows<'_>, from: Rows<'_>, rows: usize, bytes: usize) -> Result<(), GpuError> {
        let mut row = crate::memory::zeroed("a copy of a shared array", bytes)?;
        for nth in 0..rows {
            self.memory.read(from.at, from.offset + nth * from.pitch, &mut row);
            self.memory.write(to.at, to.offset + nth * to.pitch, &row);
        }
        Ok(())
    }

    fn adopt(&self, address: u64, bytes: usize) -> Result<Result<Allocation, ForeignProblem>, GpuError> {
        Ok(self.memory.adopt(address, bytes))
    }

    fn zero(&self, at: &Allocation, offset: usize, bytes: usize) -> Result<(), GpuError> {
        self.memory.zero(at, offset, bytes);
        Ok(())
    }

    // As late as it may be.
    fn zero_first(&self, at: &Allocation, offset: usize, bytes: usize) -> Result<(), GpuError> {
        self.memory.zero_later(at, offset, bytes);
        Ok(())
    }

    fn settle(&self) -> Result<(), GpuError> {
        self.memory.settle();
        Ok(())
    }

    fn load(&self, code: Code<'_>, mut making: Making) -> Result<Loaded, GpuError> {
        making.end(|times| &mut times.text);
        let known = if let Code::Unit(unit) = code { self.units.get(unit) } else { None };
        making.end(|times| &mut times.memory);
        if let Some((library, outline)) = known {
            return Ok(Loaded::new(self.program(library), outline, making));
        }
        let source = &*code.text()?;
        let build = self.build(HostCompiler::find()?);
        let key = build.key(source);
        making.end(|times| &mut times.text);
        let library = EmulatorBackend::libraries().get_or_make(key, || {
            making.end(|times| &mut times.memory);
            if let Some(dir) = dump::folder() {
                making.notes.extend(dump::write(&dir, key, &[("cu", source.as_bytes())]).err());
            }
            build.unit(source, key, &mut making).map(Arc::new)
        })?;
        let outline = if let Code::Unit(unit) = code { self.units.put(unit, library.clone()) } else { Arc::default() };
        making.end(|times| &mut times.memory);
        Ok(Loaded::new(self.program(library), outline, making))
    }

    fn limits(&self) -> Limits {
        /// So few that tests have more.
        const FEW: usize = 1 << 6;
        let host = self.options.plan.map_or(HostUse::Never, HostUse::Drawn);
        // Runs on fibers take every way by which transactions reach a device.
        let along = match self.options.schedule {
            Schedule::Fibers { seed } if seed % 2 == 1 => 0,
            Schedule::Fibers { .. } | Schedule::Threads => ALONG,
        };
        let EmulatorOptions { block, threads, .. } = self.options;
        Limits { block, threads, shared: BLOCK_MEMORY, spread: false, host, along, cluster: Cluster::ONE, lists: FEW }
    }
}

#[cfg(test)]
mod tests;
