//! The memory that an engine keeps beside the elements and their lock words.

use super::parameters::Settings;
use crate::spec::Scalar;

/// What a memory belongs to, and how device code finds it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Scope {
    /// An array: `stm_address::extra`, zero when a run begins.
    Array,
    /// A run: `stm_params::run`, zero when it begins.
    Run,
    /// The transactions on the device at once: `stm_params::chunk`, zero when they arrive.
    Chunk,
    /// A block, where it keeps elements: the first words of its memory, zero when a launch begins.
    Block,
    /// Each partition that lies in a block, after its elements; zero when transactions of the partition begin.
    Partition,
}

/// A memory of an engine.
#[derive(Debug, Clone, Copy)]
pub struct Memory {
    /// What it belongs to.
    pub scope: Scope,
    /// How large it is.
    pub bytes: fn(Extent) -> u64,
    /// What the host makes of it when the run is over.
    pub content: Content,
}

/// What the host makes of a memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Content {
    /// Nothing.
    Private,
    /// Of an array, one `u64` for each element: how often transactions declared to access it. The report shows the hottest.
    AccessCounts,
}

/// What the size of a memory depends on. A field that the scope does not have is as [`Extent::new`] leaves it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Extent {
    /// Element type of the array.
    pub scalar: Scalar,
    /// Elements of the array, or of the partition.
    pub elements: u64,
    /// Lock words that cover the array.
    pub locks: u64,
    /// The run is recorded.
    pub record: bool,
    /// The most threads that run transactions.
    pub threads: u64,
    /// The most elements that a transaction touches which may write.
    pub footprint: u64,
    /// Transactions of the chunk.
    pub transactions: u64,
    /// The engine's parameters.
    pub settings: Settings,
}

impl Extent {
    /// An extent of nothing.
    #[must_use]
    pub const fn new(settings: Settings) -> Extent {
        Extent {
            scalar: Scalar::U64,
            elements: 0,
            locks: 0,
            record: false,
            threads: 0,
            footprint: 0,
            transactions: 0,
            settings,
        }
    }
}

impl Memory {
    /// A memory that the host does not look at.
    #[must_use]
    pub const fn new(scope: Scope, bytes: fn(Extent) -> u64) -> Memory {
        Memory { scope, bytes, content: Content::Private }
    }
}
