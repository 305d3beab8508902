//! Runs generated CUDA C on host threads, where there is no GPU: for tests and debugging.
//!
//! The unit is compiled by the host's C++ compiler under a shim of CUDA C (`shim/`) and called as a shared library. It is the
//! same text as on the device, under the same run loop. What it cannot show: the device's weak memory order, lock-step
//! warps, scopes that are too narrow.

mod build;
mod compiler;
mod options;
mod program;

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::ptr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use super::backend::{Allocation, Backend, Code, HostSlice, HostSliceMut, Limits, Loaded, MemoryInfo};
use super::cache::{DiskCache, Key, MemoryCache};
use super::dump;
use super::error::GpuError;
use build::Build;
use compiler::{Compiler, trouble};
use program::{EmulatedProgram, Library};

pub use options::{EmulatorOptions, Schedule};

/// As the driver aligns it.
const ALIGNMENT: usize = 256;
/// Bytes of shared memory that a block can have: what an H100 gives.
const BLOCK_MEMORY: u32 = 227 * 1024;

/// A device that is none.
pub(crate) struct EmulatorBackend {
    options: EmulatorOptions,
    disk: DiskCache,
    used: AtomicU64,
    /// Launches so far: each has its own interleaving, all of them from the one seed.
    launches: Arc<AtomicU64>,
}

impl EmulatorBackend {
    /// Finds the compiler; the first unit is compiled later.
    pub(crate) fn open(options: EmulatorOptions) -> Result<EmulatorBackend, GpuError> {
        if !(32..=1024).contains(&options.block) || !options.block.is_multiple_of(32) {
            return Err(trouble(format!("a block of {} threads; use a multiple of 32 up to 1024", options.block)));
        }
        let compiler = Compiler::find()?;
        if options.tsan && !program::sanitizer_is_loaded() {
            let library = compiler.tsan_library();
            // Uninstrumented Rust code uses atomics that the sanitizer does not see; its copies must not be judged.
            return Err(trouble(format!(
                "ThreadSanitizer must be there from the start; set LD_PRELOAD={library} and \
                 TSAN_OPTIONS=ignore_noninstrumented_modules=1"
            )));
        }
        Ok(EmulatorBackend {
            options,
            disk: DiskCache::from_env(),
            used: AtomicU64::new(0),
            launches: Arc::new(AtomicU64::new(0)),
        })
    }

    /// Loaded units, shared by all emulated devices: a unit does not depend on the schedule.
    fn libraries() -> &'static MemoryCache<Arc<Library>> {
        static LIBRARIES: OnceLock<MemoryCache<Arc<Library>>> = OnceLock::new();
        LIBRARIES.get_or_init(MemoryCache::new)
    }

    fn build<'a>(&'a self, compiler: &'a Compiler) -> Build<'a> {
        Build { compiler, cache: &self.disk, tsan: self.options.tsan }
    }

    /// From the disk cache or the compiler.
    fn library(&self, build: &Build<'_>, source: &str, key: Key, notes: &mut Vec<String>) -> Result<Library, GpuError> {
        match Library::load(&build.library(source, key, notes)?) {
            Ok(library) => Ok(library),
            Err(_) => {
                // Whole, and yet not loadable here: made on another machine. Once more, from the source.
                self.disk.discard(key);
                Library::load(&build.library(source, key, notes)?)
            }
        }
    }
}

impl Backend for EmulatorBackend {
    fn describe(&self) -> String {
        match self.options.schedule {
            Schedule::Threads => "emulator (host threads)".into(),
            Schedule::Fibers { seed } => format!("emulator (fibers, seed {seed})"),
        }
    }

    fn memory(&self) -> Result<MemoryInfo, GpuError> {
        let used = self.used.load(Ordering::Relaxed);
        Ok(MemoryInfo { free: self.options.memory.saturating_sub(used), total: self.options.memory })
    }

    fn alloc(&self, what: &'static str, bytes: usize) -> Result<Allocation, GpuError> {
        let short = |free| GpuError::OutOfMemory { what, needed: bytes as u64, free };
        let free = self.memory()?.free;
        if bytes as u64 > free {
            return Err(short(free));
        }
        let layout = layout(bytes).ok_or_else(|| short(free))?;
        // SAFETY: the layout is not empty: callers ask for at least one byte, and `layout` rounds up.
        let memory = unsafe { alloc_zeroed(layout) };
        if memory.is_null() {
            return Err(short(free));
        }
        self.used.fetch_add(bytes as u64, Ordering::Relaxed);
        Ok(Allocation { address: memory.expose_provenance() as u64, bytes })
    }

    fn free(&self, allocation: Allocation) {
        let Some(layout) = layout(allocation.bytes) else { return };
        self.used.fetch_sub(allocation.bytes as u64, Ordering::Relaxed);
        // SAFETY: allocated above with the same layout, and consumed here.
        unsafe { dealloc(pointer(allocation.address), layout) };
    }

    fn upload(&self, to: &Allocation, offset: usize, from: HostSlice<'_>) -> Result<(), GpuError> {
        let (source, bytes) = from.raw();
        let target = pointer(to.range(offset, bytes));
        // SAFETY: `range` is within a live allocation, which no slice of the host overlaps; no launch is running, because
        // the run loop waits for each.
        unsafe { ptr::copy_nonoverlapping(source, target, bytes) };
        Ok(())
    }

    fn download(&self, from: &Allocation, offset: usize, mut into: HostSliceMut<'_>) -> Result<(), GpuError> {
        let (target, bytes) = into.raw();
        let source = pointer(from.range(offset, bytes));
        // SAFETY: as in `upload`; every bit pattern is a value of the slice's integers.
        unsafe { ptr::copy_nonoverlapping(source, target, bytes) };
        Ok(())
    }

    fn zero(&self, at: &Allocation) -> Result<(), GpuError> {
        // SAFETY: the whole of a live allocation; no launch is running.
        unsafe { ptr::write_bytes(pointer(at.address), 0, at.bytes) };
        Ok(())
    }

    fn load(&self, code: Code<'_>) -> Result<Loaded, GpuError> {
        let source = &*code.text();
        let build = self.build(Compiler::find()?);
        let key = build.key(source);
        let mut notes = Vec::new();
        let library = EmulatorBackend::libraries().get_or_make(key, || {
            if let Some(dir) = dump::folder() {
                notes.extend(dump::write(&dir, key, &[("cu", source.as_bytes())]).err());
            }
            self.library(&build, source, key, &mut notes).map(Arc::new)
        })?;
        let program = EmulatedProgram::new(library, self.options.clone(), self.launches.clone());
        Ok(Loaded::new(Arc::new(program), notes))
    }

    fn limits(&self) -> Limits {
        Limits { block: self.options.block, threads: self.options.threads.max(1), shared: BLOCK_MEMORY, spread: false }
    }
}

fn layout(bytes: usize) -> Option<Layout> {
    Layout::from_size_align(bytes.max(1), ALIGNMENT).ok()
}

fn pointer(address: u64) -> *mut u8 {
    ptr::with_exposed_provenance_mut(address as usize)
}

#[cfg(test)]
mod tests;
