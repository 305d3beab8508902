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

/// How [`Device::emulated`](crate::Device::emulated) runs generated CUDA C.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EmulatorOptions {
    /// How the device's threads take turns.
    pub schedule: Schedule,
    /// Device threads in flight where the table does not say.
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
    /// Compile with ThreadSanitizer. The program must be started with its library preloaded; its reports go to standard
    /// error, and the program's exit status says whether there were any.
    pub tsan: bool,
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
            tsan: false,
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
