//! What can go wrong between the host and a device.

use std::path::PathBuf;

use crate::memory::NoMemory;

/// Why a device cannot be used, or could not do what it was asked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum GpuError {
    /// The crate was built without its `cuda` feature.
    #[error("this program was built without CUDA; build stm-runtime with its `cuda` feature")]
    NotBuilt,
    /// The driver's library is not there.
    #[error("no CUDA driver library ({tried}); install the NVIDIA driver")]
    NoDriverLibrary {
        /// What was tried, with the system loader's words.
        tried: String,
    },
    /// The driver is there, and no device.
    #[error("the CUDA driver finds no device")]
    NoDevice,
    /// The driver is older than the calls that the runtime makes.
    #[error("the CUDA driver supports CUDA {}, and {} is needed; update the NVIDIA driver", version(*have), version(*need))]
    DriverTooOld {
        /// What the driver says: 1000 x major + 10 x minor.
        have: i32,
        /// The oldest that will do.
        need: i32,
    },
    /// No device of that number.
    #[error("there is no CUDA device {ordinal}: {count} found, counted from 0")]
    NoSuchDevice {
        /// The number asked for.
        ordinal: usize,
        /// How many there are.
        count: usize,
    },
    /// A call to the driver failed.
    #[error("{call} failed: {text} ({name})")]
    Driver {
        /// The driver's function.
        call: &'static str,
        /// The driver's name of the error.
        name: String,
        /// The driver's explanation.
        text: String,
    },
    /// A kernel did something that the device does not survive. Memory and results of the context are gone.
    #[error(
        "a kernel broke the CUDA context ({name}: {text}); the data on the device is lost, and this process cannot use the device any more: start it again"
    )]
    ContextLost {
        /// The driver's name of the error.
        name: String,
        /// The driver's explanation.
        text: String,
    },
    /// The driver's bindings gave up: a function of the driver is missing.
    #[error("the CUDA driver library is incomplete: {text}")]
    DriverIncomplete {
        /// What the bindings said.
        text: String,
    },
    /// The run-time compiler is not there.
    #[error(
        "no NVRTC, the CUDA run-time compiler ({tried}); install the CUDA toolkit, 12.8 up to 13, or run tests/fetch-nvrtc.sh, or name the library or its folder in STM_NVRTC"
    )]
    NoNvrtc {
        /// What was tried, and what was wrong with each.
        tried: String,
    },
    /// The run-time compiler failed for another reason than the source.
    #[error("NVRTC could not compile for {arch}: {text}")]
    Nvrtc {
        /// What it should have compiled for.
        arch: String,
        /// Its words.
        text: String,
    },
    /// The compiler refused a kernel.
    #[error("a kernel does not compile\n{}{}", errors.join("\n"), dumped(source_path.as_deref()))]
    Compile {
        /// The lines that say what and where; generated code names the Rust file and line.
        errors: Vec<String>,
        /// Everything that the compiler said.
        log: String,
        /// Where the source was written, if it could be.
        source_path: Option<PathBuf>,
    },
    /// Device memory does not suffice.
    #[error("not enough device memory for {what}: {needed} bytes needed, {free} free")]
    OutOfMemory {
        /// What for.
        what: &'static str,
        /// Bytes that were asked for.
        needed: u64,
        /// Bytes that were free.
        free: u64,
    },
    /// Host memory does not suffice. Users meet it as [`Error::HostMemory`](crate::Error::HostMemory).
    #[error("not enough host memory for {what} ({bytes} bytes)")]
    HostMemory {
        /// What for.
        what: &'static str,
        /// How many bytes.
        bytes: u64,
    },
    /// The emulator found no C++ compiler, or could not use what it built.
    #[error("the emulator cannot run: {text}")]
    Emulator {
        /// What is wrong and what to do.
        text: String,
    },
    /// An emulated launch took more steps than allowed: a deadlock or a livelock.
    #[error(
        "an emulated kernel did not end within {steps} steps (seed {seed}, {live} of {threads} threads live): deadlock or livelock"
    )]
    StepLimit {
        /// Steps made: atomics, fences and waits.
        steps: u64,
        /// The seed that replays it, in fiber mode.
        seed: u64,
        /// Threads that had not ended.
        live: u64,
        /// Threads of the launch.
        threads: u64,
    },
    /// More threads in flight than an engine can tell apart.
    #[error(
        "engine `{engine}` supports at most {most} threads, and {asked} were requested; request fewer, or choose another engine"
    )]
    TooManyThreads {
        /// The engine.
        engine: &'static str,
        /// The most it can have.
        most: u64,
        /// What the batch asked for.
        asked: u64,
    },
    /// A transaction touches more elements than an engine has room for.
    #[error(
        "engine `{engine}` supports at most {most} elements per transaction, and a transaction of this batch can touch {elements}; bound its loops more tightly, or choose another engine"
    )]
    TooManyElements {
        /// The engine.
        engine: &'static str,
        /// The most a transaction can touch.
        most: u64,
        /// What one of the batch can touch.
        elements: u64,
    },
    /// A batch calls more functions, or one with more combinations of types and arrays, than are compiled into one unit.
    #[error(
        "the batch needs {functions} functions on the device, and at most {most} are compiled for one batch: one for each function that \
         it calls, and, for an engine that keeps partitions in block memory, for each combination of arrays; use several batches, or CPU threads"
    )]
    TooManyFunctions {
        /// What the batch needs.
        functions: usize,
        /// The most of one batch.
        most: usize,
    },
    /// A function whose addresses are found on the way, for an engine that has to know them before it runs.
    #[error(
        "engine `{engine}` has to know before a transaction runs what it accesses, and `{procedure}` finds it on the way; compute \
         indices from arguments alone (`kernel().facts()` names those that are not), or take another engine"
    )]
    UnknownAddresses {
        /// The engine.
        engine: &'static str,
        /// The function.
        procedure: &'static str,
    },
    /// An array that is not in parts, for an engine that keeps parts with their blocks.
    #[error(
        "engine `{engine}` works on partitions, and `{parameter}` of `{procedure}` is a whole array; write `&Partition<T, N>` there and \
         create the array with `Device::partitioned`, or choose another engine"
    )]
    NotInParts {
        /// The engine.
        engine: &'static str,
        /// The function.
        procedure: &'static str,
        /// Its parameter.
        parameter: &'static str,
    },
    /// The parts of a batch's arrays do not fit into the memory of a block.
    #[error(
        "engine `{engine}` needs {needed} bytes of block-shared memory for one partition of each array, and {allowed} are allowed; {}",
        if needed <= most { format!("allow more with `RunOptions::block_memory({needed})`, or make the partitions smaller") }
        else { format!("a block has at most {most}: make the partitions smaller, or choose another engine") }
    )]
    PartsTooLarge {
        /// The engine.
        engine: &'static str,
        /// Bytes for one part of each array, and what the engine keeps beside it.
        needed: u64,
        /// Bytes that the batch may take.
        allowed: u64,
        /// Bytes that a block can have on this device.
        most: u64,
    },
    /// One thread alone met conflicts and finished nothing.
    #[error(
        "engine `{engine}` makes no progress on {transactions} transactions with one thread: a lock was never released, which is a bug in the engine"
    )]
    NoProgress {
        /// The engine.
        engine: &'static str,
        /// Transactions that are left.
        transactions: u64,
    },
    /// Host and device disagree on the layout of the launch parameters.
    #[error(
        "the kernel takes {kernel} bytes of parameters and the host passes {host}: linker and runtime do not match"
    )]
    Parameters {
        /// What the kernel declares.
        kernel: usize,
        /// What the host passes.
        host: usize,
    },
    /// A hand-written kernel takes no parameter, or several.
    #[error(
        "the kernel `stm_run` does not take one parameter; declare it with a single `const __grid_constant__ stm_params p`"
    )]
    NotOneParameter,
}

impl From<NoMemory> for GpuError {
    fn from(short: NoMemory) -> GpuError {
        GpuError::HostMemory { what: short.what, bytes: short.bytes }
    }
}

fn version(v: i32) -> String {
    format!("{}.{}", v / 1000, v % 1000 / 10)
}

fn dumped(path: Option<&std::path::Path>) -> String {
    match path {
        Some(path) => format!("\nthe generated source is in {}", path.display()),
        None => "\nset STM_DUMP=<folder> to keep the generated source".into(),
    }
}
