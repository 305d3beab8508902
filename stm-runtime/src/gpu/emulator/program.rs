//! A unit as a shared library of this process.

use std::ffi::c_void;
use std::fs::File;
use std::io::Write;
use std::os::fd::AsRawFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use libloading::Library as Dynamic;

use super::compiler::trouble;
use super::memory::EmulatedMemory;
use super::options::{EmulatorOptions, Sanitizer, Schedule};
use crate::error::GpuError;
use crate::gpu::backend::{Executable, GridPart, KernelCall, Started};

/// `stm_emu::options`.
#[repr(C)]
struct How {
    grid: u32,
    block: u32,
    fibers: u32,
    shared: u32,
    first: u32,
    all: u32,
    seed: u64,
    max_steps: u64,
    pauses: u64,
}

/// `stm_emu::outcome`.
#[repr(C)]
#[derive(Default)]
struct LaunchOutcome {
    steps: u64,
    live: u64,
    parameter_bytes: u64,
}

const FINISHED: i32 = 0;
const STEP_LIMIT: i32 = 1;
const PARAMETERS: i32 = 2;

/// The most device threads of one launch on threads of the operating system.
const MOST_THREADS: u64 = 4096;

type Emulate = unsafe extern "C" fn(*mut c_void, *const u64, u64, *const How, *mut LaunchOutcome) -> i32;

/// A library of this process that no other user can change.
struct Loaded {
    library: Dynamic,
    /// Debuggers and sanitizers read lines from it while the library is loaded.
    _file: File,
}

impl Loaded {
    fn new(bytes: &[u8]) -> Result<Loaded, GpuError> {
        let failed = |why: &dyn std::fmt::Display| trouble(format!("a compiled unit cannot be loaded: {why}"));
        // A file without a name disappears with the process, however it ends.
        let mut file = tempfile::tempfile().map_err(|why| failed(&why))?;
        file.write_all(bytes).map_err(|why| failed(&why))?;
        let path = format!("/proc/self/fd/{}", file.as_raw_fd());
        // SAFETY: a library that this process compiled in its own folder, or took from its cache, whose files this
        // user compiled, by owner, mode and checksum. It is loaded from a copy without a name, which no other user can change. It
        // has no initialisers beyond those of the C++ library.
        let library = unsafe { Dynamic::new(&path) }.map_err(|why| failed(&format!("{why:?}")))?;
        Ok(Loaded { library, _file: file })
    }
}

/// The emulator's runtime. Units that are loaded after it find it by its name.
pub(super) struct RuntimeLibrary {
    pub(super) bytes: Vec<u8>,
    _loaded: Loaded,
}

impl RuntimeLibrary {
    pub(super) fn load(bytes: Vec<u8>) -> Result<RuntimeLibrary, GpuError> {
        Ok(RuntimeLibrary { _loaded: Loaded::new(&bytes)?, bytes })
    }
}

/// A loaded unit.
pub(super) struct UnitLibrary {
    emulate: Emulate,
    loaded: Loaded,
    _runtime: Arc<RuntimeLibrary>,
}

impl UnitLibrary {
    pub(super) fn load(bytes: &[u8], runtime: &Arc<RuntimeLibrary>) -> Result<UnitLibrary, GpuError> {
        let loaded = Loaded::new(bytes)?;
        // SAFETY: shim/entry.cpp declares the function with this type.
        let emulate = unsafe { loaded.library.get::<Emulate>(b"stm_emulate\0") };
        let emulate = *emulate.map_err(|why| trouble(format!("a compiled unit cannot be loaded: {why}")))?;
        Ok(UnitLibrary { emulate, loaded, _runtime: runtime.clone() })
    }

    /// Returns the address of a kernel.
    fn kernel(&self, entry: &str) -> Result<*mut c_void, GpuError> {
        // SAFETY: the symbol is looked up, and only `emulate` calls it, which knows its type.
        let found = unsafe { self.loaded.library.get::<unsafe extern "C" fn()>(entry.as_bytes()) };
        let kernel = found.map_err(|why| trouble(format!("a compiled unit has no kernel `{entry}`: {why:?}")))?;
        Ok(*kernel as *mut c_void)
    }
}

/// A unit with the schedule of its launches.
#[derive(Clone)]
pub(super) struct EmulatedProgram {
    library: Arc<UnitLibrary>,
    options: EmulatorOptions,
    launches: Arc<AtomicU64>,
    memory: Arc<EmulatedMemory>,
}

impl EmulatedProgram {
    pub(super) fn new(
        library: Arc<UnitLibrary>,
        options: EmulatorOptions,
        launches: Arc<AtomicU64>,
        memory: Arc<EmulatedMemory>,
    ) -> EmulatedProgram {
        EmulatedProgram { library, options, launches, memory }
    }
}

impl Executable for EmulatedProgram {
    fn resident_blocks(&self, _entry: &'static str, block: u32, _shared: u32) -> Result<u32, GpuError> {
        Ok((MOST_THREADS / u64::from(block.max(1))).max(1) as u32)
    }

    fn scratch(&self, _entry: &'static str) -> Result<u64, GpuError> {
        // Thread-local memory is on the threads' stacks.
        Ok(0)
    }

    fn start(&self, call: KernelCall<'_>) -> Result<Started, GpuError> {
        let took = self.run(call, GridPart { first: 0, blocks: call.shape.grid, all: call.shape.grid })?;
        Ok(Started(Box::new(move || Ok(took))))
    }

    /// On a thread of its own: the blocks of other parts run meanwhile.
    fn start_part(
        &self,
        KernelCall { entry, shape, parameters, .. }: KernelCall<'_>,
        part: GridPart,
    ) -> Result<Started, GpuError> {
        let (program, parameters) = (self.clone(), parameters.to_vec());
        let run = move || program.run(KernelCall { entry, shape, parameters: &parameters, copied: &[] }, part);
        let thread = thread::Builder::new().name("stm-device".into()).spawn(run);
        let thread = thread.map_err(|why| trouble(format!("the system gives no thread: {why}")))?;
        let under_way = UnderWay(Some(thread));
        Ok(Started(Box::new(move || under_way.wait())))
    }
}

/// A part of a launch on a thread. It has ended when this is dropped.
struct UnderWay(Option<JoinHandle<Result<Duration, GpuError>>>);

impl UnderWay {
    fn wait(mut self) -> Result<Duration, GpuError> {
        let ended = self.0.take().map_or(Ok(Ok(Duration::ZERO)), JoinHandle::join);
        ended.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        // The caller frees the kernel's buffers.
        let _ = self.0.take().map(JoinHandle::join);
    }
}

impl EmulatedProgram {
    /// Runs a part of a kernel's grid to its end.
    fn run(
        &self,
        KernelCall { entry, shape, parameters, .. }: KernelCall<'_>,
        part: GridPart,
    ) -> Result<Duration, GpuError> {
        let kernel = self.library.kernel(entry)?;
        self.memory.settle();
        let launch = self.launches.fetch_add(1, Ordering::Relaxed);
        let (fibers, seed) = match self.options.schedule {
            Schedule::Threads => (0, launch),
            Schedule::Fibers { seed } => (1, seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(launch)),
        };
        let (max_steps, pauses) = (self.options.max_steps, u64::from(self.options.pauses));
        let GridPart { first, blocks: grid, all } = part;
        let how = How { grid, block: shape.block, fibers, shared: shape.shared, first, all, seed, max_steps, pauses };
        let mut outcome = LaunchOutcome::default();
        let begin = Instant::now();
        let (words, count) = (parameters.as_ptr(), parameters.len() as u64);
        // SAFETY: the kernel is one of the same library, which takes a `stm_params` alone. The function reads `count` words and
        // writes one outcome; the addresses in the parameters are of live allocations of this back end, which the run loop holds
        // until the launch is over. It returns when every thread has ended.
        let code = unsafe { (self.library.emulate)(kernel, words, count, &how, &mut outcome) };
        match code {
            FINISHED => Ok(begin.elapsed()),
            STEP_LIMIT => Err(GpuError::StepLimit {
                steps: outcome.steps,
                seed: match self.options.schedule {
                    Schedule::Threads => 0,
                    Schedule::Fibers { seed } => seed,
                },
                live: outcome.live,
                threads: shape.threads(),
            }),
            PARAMETERS => {
                Err(GpuError::Parameters { kernel: outcome.parameter_bytes as usize, host: size_of_val(parameters) })
            }
            _ => Err(trouble(format!("the system gives no {} threads; use fewer", shape.threads()))),
        }
    }
}

/// Returns whether a sanitizer is loaded. It cannot be loaded late: it has to see every allocation and thread.
pub(super) fn is_loaded(sanitizer: Sanitizer) -> bool {
    let this = Dynamic::from(libloading::os::unix::Library::this());
    // SAFETY: the symbol is looked up and never called.
    unsafe { this.get::<unsafe extern "C" fn()>(sanitizer.symbol()) }.is_ok()
}
