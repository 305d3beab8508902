//! The options of emulated launches.

/// How the device's threads are scheduled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Schedule {
    /// One thread of the operating system for each device thread: real parallelism, another interleaving each time.
    Threads,
    /// All device threads on one thread of the operating system, which may switch at every atomic. The same seed gives
    /// the same interleaving.
    Fibers {
        /// Chooses the interleaving.
        seed: u64,
    },
}

/// A checker of C++ programs that the compiler builds into emulated units.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sanitizer {
    /// ThreadSanitizer: data races.
    Thread,
    /// AddressSanitizer with UndefinedBehaviorSanitizer: accesses outside of any array, and arithmetic, shifts, casts and
    /// alignments that are undefined in C++.
    Address,
}

impl Sanitizer {
    /// Returns the compiler flags for a unit. The first report ends the program.
    pub(super) fn unit_flags(self) -> &'static [&'static str] {
        match self {
            Sanitizer::Thread => &["-g1", "-fsanitize=thread"],
            Sanitizer::Address => &[
                "-g1",
                "-fsanitize=address,undefined,float-cast-overflow",
                "-fno-sanitize-recover=all",
                "-fno-omit-frame-pointer",
            ],
        }
    }

    /// Returns the compiler flag for the emulator's runtime, which runs the units and is not instrumented.
    pub(super) fn runtime_flag(self) -> &'static str {
        match self {
            Sanitizer::Thread => "-DSTM_TSAN",
            Sanitizer::Address => "-DSTM_ASAN",
        }
    }

    /// Returns the file name of its library.
    pub(super) fn library(self) -> &'static str {
        match self {
            Sanitizer::Thread => "libtsan.so",
            Sanitizer::Address => "libasan.so",
        }
    }

    /// Returns the name of a function of its library.
    pub(super) fn symbol(self) -> &'static [u8] {
        match self {
            Sanitizer::Thread => b"__tsan_init\0",
            Sanitizer::Address => b"__asan_init\0",
        }
    }

    /// Returns the environment that it needs in addition to its library.
    pub(super) fn environment(self) -> &'static str {
        match self {
            // Uninstrumented Rust code uses atomics that the sanitizer does not see; its copies must not be reported.
            Sanitizer::Thread => "TSAN_OPTIONS=ignore_noninstrumented_modules=1",
            // Rust programs leave some memory to the system until they end.
            Sanitizer::Address => "ASAN_OPTIONS=detect_leaks=0",
        }
    }
}

/// How [`Device::emulated`](crate::Device::emulated) runs generated CUDA C.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EmulatorOptions {
    /// How the device's threads are scheduled.
    pub schedule: Schedule,
    /// Default number of device threads in flight.
    pub threads: u64,
    /// Threads of each block: a multiple of 32 up to 256, as on a GPU.
    pub block: u32,
    /// Steps (atomics, fences, waits) after which a launch counts as hung.
    pub max_steps: u64,
    /// One in this number of switches between fibers begins a long pause of the fiber that was running, as if its warp were not
    /// scheduled; 0 means no pauses. Pauses reveal bugs that need one thread to stand still while others commit.
    pub pauses: u32,
    /// Bytes of device memory.
    pub memory: u64,
    /// The sanitizer for the device's threads. The program must be started with the sanitizer's library preloaded; its
    /// reports go to standard error, and the program's exit status shows whether there were any.
    pub sanitizer: Option<Sanitizer>,
    /// Devices that run each batch together, as the GPUs of a host do. More than one need [`Schedule::Threads`].
    pub devices: usize,
    /// What a batch without an engine may use besides the emulated device. `None`: nothing. With a seed, also the cores of the host, by
    /// predictions that the seed draws, so that some batches begin at the wrong place.
    pub plan: Option<u64>,
}

impl EmulatorOptions {
    /// Returns options with threads of the operating system.
    #[must_use]
    pub fn threads() -> EmulatorOptions {
        EmulatorOptions {
            schedule: Schedule::Threads,
            threads: 64,
            block: 32,
            max_steps: 1 << 32,
            pauses: 0,
            memory: 1 << 30,
            sanitizer: None,
            devices: 1,
            plan: None,
        }
    }

    /// Returns options with fibers and that seed.
    #[must_use]
    pub fn fibers(seed: u64) -> EmulatorOptions {
        EmulatorOptions { schedule: Schedule::Fibers { seed }, max_steps: 100_000_000, ..EmulatorOptions::threads() }
    }
}

impl Default for EmulatorOptions {
    fn default() -> EmulatorOptions {
        EmulatorOptions::threads()
    }
}
