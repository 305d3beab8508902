//! What determines the shape of a launch and the place of a run, unless the user does.

/// The limits of a device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Limits {
    /// Threads of each block.
    pub(crate) block: u32,
    /// Default number of threads in flight for a large batch on large arrays.
    pub(crate) threads: u64,
    /// The most bytes of shared memory of a block.
    pub(crate) shared: u32,
    /// Whether idle lanes cost nothing, so that few threads are better spread over many warps.
    pub(crate) spread: bool,
    /// What the plan may do with the cores of the host.
    pub(crate) host: HostUse,
    /// The most bytes of a chunk that travels with its launch, both ways in one piece.
    pub(crate) along: usize,
    /// How a launch is divided among devices.
    pub(crate) cluster: Cluster,
    /// The fewest transactions of which the few that have not committed are listed on the device.
    pub(crate) lists: usize,
}

/// The devices that run a batch together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Cluster {
    pub(crate) devices: usize,
    /// Launches of at most that many threads are on one device.
    pub(crate) alone: u64,
    /// Bytes of memory from which it has a part on each device.
    pub(crate) divided: u64,
    /// The bytes of memory that a device has of it are a multiple of these.
    pub(crate) page: usize,
}

impl Cluster {
    /// One device alone.
    pub(crate) const ONE: Cluster = Cluster { devices: 1, alone: u64::MAX, divided: u64::MAX, page: 1 };

    /// Returns whether a launch of that many threads is on several devices.
    pub(crate) fn divides(self, threads: u64) -> bool {
        self.devices > 1 && threads > self.alone
    }
}

/// What usually travels with a launch, in bytes.
#[cfg(any(test, feature = "cuda", feature = "emulator"))]
pub(crate) const ALONG: usize = if cfg!(test) { 16 << 10 } else { 256 << 10 };

/// The transactions whose statuses usually take longer to copy than to search.
#[cfg(any(test, feature = "cuda", feature = "mutation"))]
pub(crate) const LISTED_FROM: usize = 1 << 20;

/// What the plan of a device may do with the cores of the host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HostUse {
    /// Nothing: the device is there to run its own code.
    Never,
    /// Run what they are predicted to run faster.
    Predicted,
    /// The same by rates that are drawn by a seed, for tests.
    #[cfg_attr(not(feature = "emulator"), allow(dead_code))]
    Drawn(u64),
}
