//! Errors between the host and a device.

use std::path::PathBuf;

use crate::memory::NoMemory;

/// Why a device cannot be used, or could not run a request.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum GpuError {
    /// The crate was built without its `cuda` feature.
    #[error("this program was built without CUDA; build gpu-transactions with its feature `cuda`")]
    NotBuilt,
    /// The driver's library is missing.
    #[error("no CUDA driver library ({tried}); install the NVIDIA driver")]
    NoDriverLibrary {
        /// The names that were tried, with the system loader's messages.
        tried: String,
    },
    /// The driver is installed, but there is no device.
    #[error("the CUDA driver finds no device")]
    NoDevice,
    /// The driver is older than the calls that the runtime makes.
    #[error("the CUDA driver supports CUDA {}, and {} is needed; update the NVIDIA driver", version(*have), version(*need))]
    DriverTooOld {
        /// The driver's version: 1000 x major + 10 x minor.
        have: i32,
        /// The oldest version that suffices.
        need: i32,
    },
    /// There is no device of that number.
    #[error("there is no CUDA device {ordinal}: {count} found, counted from 0")]
    NoSuchDevice {
        /// The requested number.
        ordinal: usize,
        /// The number of devices.
        count: usize,
    },
    /// A cluster has too many devices.
    #[error("{devices} devices together; use at most {most}")]
    TooManyDevices {
        /// Their number.
        devices: usize,
        /// The largest number.
        most: usize,
    },
    /// Two devices cannot run a batch together.
    #[error(
        "CUDA devices {one} and {other} cannot share memory: {why}; use one of them, or devices that are connected by NVLink"
    )]
    NoPeers {
        /// The number of a device.
        one: usize,
        /// The number of the other one.
        other: usize,
        /// What is missing.
        why: String,
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
    /// A kernel failed in a way that breaks the context. Its memory and results are lost.
    #[error(
        "a kernel broke the CUDA context ({name}: {text}); the data on the device is lost, and this process cannot use the device any more: start it again"
    )]
    ContextLost {
        /// The driver's name of the error.
        name: String,
        /// The driver's explanation.
        text: String,
    },
    /// cudarc's bindings failed: a function of the driver is missing.
    #[error("the CUDA driver library is incomplete: {text}")]
    DriverIncomplete {
        /// The message of the bindings.
        text: String,
    },
    /// The run-time compiler is missing.
    #[error(
        "no NVRTC, the CUDA run-time compiler ({tried}); install it with `pip install nvidia-cuda-nvrtc`, or the CUDA toolkit, 12.8 up to 13, or name the library or its folder in STM_NVRTC"
    )]
    NoNvrtc {
        /// The paths that were tried, with the reason for each refusal.
        tried: String,
    },
    /// The run-time compiler failed for a reason other than the source.
    #[error("NVRTC could not compile for {arch}: {text}")]
    Nvrtc {
        /// The target architecture.
        arch: String,
        /// The compiler's message.
        text: String,
    },
    /// The compiler refused a kernel.
    #[error("a kernel does not compile\n{}{}", errors.join("\n"), dumped(source_path.as_deref()))]
    Compile {
        /// The lines with errors and their locations; generated code names the Rust file and line.
        errors: Vec<String>,
        /// The whole log of the compiler.
        log: String,
        /// The path of the written source, if it could be written.
        source_path: Option<PathBuf>,
    },
    /// Device memory does not suffice.
    #[error("not enough device memory for {what}: {needed} bytes needed, {free} free")]
    OutOfMemory {
        /// The purpose of the memory.
        what: &'static str,
        /// Requested bytes.
        needed: u64,
        /// Free bytes.
        free: u64,
    },
    /// Host memory does not suffice. Users see it as [`Error::HostMemory`](crate::Error::HostMemory).
    #[error("not enough host memory for {what} ({bytes} bytes)")]
    HostMemory {
        /// The purpose of the memory.
        what: &'static str,
        /// Requested bytes.
        bytes: u64,
    },
    /// The emulator found no C++ compiler, or could not use its output.
    #[error("the emulator cannot run: {text}")]
    Emulator {
        /// The reason and a remedy.
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
    /// More threads in flight than an engine supports.
    #[error(
        "engine `{engine}` supports at most {most} threads, and {asked} were requested; request fewer, or choose another engine"
    )]
    TooManyThreads {
        /// The engine.
        engine: &'static str,
        /// The most threads of the engine.
        most: u64,
        /// The requested threads.
        asked: u64,
    },
    /// A transaction accesses more elements than an engine supports.
    #[error(
        "engine `{engine}` has room for {most} elements in a transaction that writes, and one of `{procedure}` can touch {elements}; if none \
         touches more than {most}, say so (`#[gpu_transaction(max_accesses = ..)]`), or choose another engine"
    )]
    TooManyElements {
        /// The engine.
        engine: &'static str,
        /// The function.
        procedure: &'static str,
        /// The most elements of a transaction.
        most: u64,
        /// The elements that a transaction of the function can touch.
        elements: u64,
    },
    /// A batch calls more functions, or one with more combinations of types and arrays, than are compiled into one unit.
    #[error(
        "the batch needs {functions} functions on the device, and at most {most} are compiled for one batch: one for each function that \
         it calls, and, for an engine that keeps partitions in block memory, for each combination of arrays; use several batches, or CPU threads"
    )]
    TooManyFunctions {
        /// The functions of the batch.
        functions: usize,
        /// The most functions of one batch.
        most: usize,
    },
    /// A function with addresses that are unknown before it runs, for an engine that has to know them.
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
    /// An array without partitions, for an engine that keeps partitions in block memory.
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
    /// The partitions of a batch's arrays do not fit into the memory of a block.
    #[error(
        "engine `{engine}` needs {needed} bytes of block-shared memory for one partition of each array, and {allowed} are allowed; {}",
        if needed <= most { format!("allow more with `RunOptions::block_memory({needed})`, or make the partitions smaller") }
        else { format!("a block has at most {most}: make the partitions smaller, or choose another engine") }
    )]
    PartsTooLarge {
        /// The engine.
        engine: &'static str,
        /// Bytes for one partition of each array, with the engine's auxiliary memory.
        needed: u64,
        /// The batch's limit on bytes.
        allowed: u64,
        /// The device's limit on bytes for a block.
        most: u64,
    },
    /// A single thread met conflicts and finished nothing.
    #[error(
        "engine `{engine}` makes no progress on {transactions} transactions with one thread: a lock was never released, which is a bug in the engine"
    )]
    NoProgress {
        /// The engine.
        engine: &'static str,
        /// Unfinished transactions.
        transactions: u64,
    },
    /// Host and device disagree on the layout of the launch parameters.
    #[error(
        "the kernel takes {kernel} bytes of parameters and the host passes {host}: linker and runtime do not match"
    )]
    Parameters {
        /// The size that the kernel declares.
        kernel: usize,
        /// The size that the host passes.
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
