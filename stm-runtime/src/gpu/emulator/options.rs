//! How emulated launches are run.

/// How the device's threads take turns.
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
    /// alignments that C++ gives no meaning.
    Address,
}

impl Sanitizer {
    /// What the compiler is told for a unit. The first report ends the program.
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

    /// What the machinery is told, which runs the units and is not watched itself.
    pub(super) fn runtime_flag(self) -> &'static str {
        match self {
            Sanitizer::Thread => "-DSTM_TSAN",
            Sanitizer::Address => "-DSTM_ASAN",
        }
    }

    /// The file name of its library.
    pub(super) fn library(self) -> &'static str {
        match self {
            Sanitizer::Thread => "libtsan.so",
            Sanitizer::Address => "libasan.so",
        }
    }

    /// A function that its library has.
    pub(super) fn symbol(self) -> &'static [u8] {
        match self {
            Sanitizer::Thread => b"__tsan_init\0",
            Sanitizer::Address => b"__asan_init\0",
        }
    }

    /// The environment that it needs beside its library.
    pub(super) fn environment(self) -> &'static str {
        match self {
            // Uninstrumented Rust code uses atomics that the sanitizer does not see; its copies must not be judged.
            Sanitizer::Thread => "TSAN_OPTIONS=ignore_noninstrumented_modules=1",
            // Rust programs leave what they need until their end to the system.
            Sanitizer::Address => "ASAN_OPTIONS=detect_leaks=0",
        }
    }
}

/// How [`Device::emulated`](crate::Device::emulated) runs generated CUDA C.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EmulatorOptions {
    /// How the device's threads take turns.
    pub schedule: Schedule,
    /// Device threads in flight where the batch does not say.
    pub threads: u64,
    /// Threads a block: a multiple of 32 up to 1,024.
    pub block: u32,
    /// Steps (atomics, fences, waits) after which a launch is taken for dead.
    pub max_steps: u64,
    /// Of so many switches between fibers, one begins a long pause of the fiber that was running, as if its warp were not
    /// scheduled; 0 for no pauses. Mistakes show that need a thread to stand still while others commit.
    pub pauses: u32,
    /// Bytes of device memory.
    pub memory: u64,
    /// What watches over the device's threads. The program must be started with the library of the sanitizer preloaded; its
    /// reports go to standard error, and the program's exit status says whether there were any.
    pub sanitizer: Option<Sanitizer>,
}

impl EmulatorOptions {
    /// Threads of the operating system.
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
        }
    }

    /// Fibers with that seed.
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
