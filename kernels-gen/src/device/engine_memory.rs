//! The memory that an engine keeps in addition to the elements and their lock words.

use super::foresight::Listings;
use super::parameters::Settings;
use crate::spec::{ProcedureSpec, Scalar};

/// The object that a memory belongs to, and how device code finds it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Scope {
    /// An array: `stm_address::extra`, zero when a run begins.
    Array,
    /// A lock table, which an array has alone or shares with the other components of a record: `stm_address::extra` of each of them,
    /// zero when a run begins.
    Locks,
    /// The elements that stages before the execution settle ([`Work::Settle`](super::Work::Settle)): `stm_address::extra` of their
    /// arrays, which lie one after the other from `stm_params::sums` on. Zero when the transactions of a chunk arrive.
    Sums,
    /// A run: `stm_params::run`, zero when it begins.
    Run,
    /// A thread that runs transactions: `stm_worker::memory_of_thread`, of any content when a launch begins.
    Thread,
    /// The transactions on the device at once: `stm_params::chunk`, zero when they arrive.
    Chunk,
    /// The same, after the memory of [`Scope::Chunk`]; of any content when they arrive.
    Unset,
    /// A block that keeps elements: the first words of its memory, zero when a launch begins.
    Block,
    /// Each partition in block memory, after its elements; zero when transactions of the partition begin.
    Partition,
}

/// The most bytes of a thread's memory that may be local memory, which the driver reserves for every thread that the device can hold.
pub const LOCAL_BYTES: u64 = 4096;

/// The most bytes of a block's memory that a kernel declares itself, besides those that the launch requests.
pub const DECLARED_BLOCK_BYTES: u64 = 1024;

/// The claims that transactions make in rounds ([`Work::Rounds`](super::Work::Rounds)).
pub mod claims {
    /// The bytes of one, of what a block keeps besides (`stm_round`), and of what the device does (`stm_rounds`).
    pub const BYTES: u64 = 8;
    /// See [`BYTES`].
    pub const ROUND_BYTES: u64 = 32;
    /// See [`BYTES`].
    pub const ROUNDS_BYTES: u64 = 64;
    /// The fewest of a table in device memory, and the most: more than those of transactions that are held, and few enough for the cache.
    pub const FEWEST: u64 = 1 << 10;
    /// See [`FEWEST`].
    pub const MOST: u64 = 1 << 20;

    /// Returns the bytes of two tables in device memory for that many transactions, with what the device keeps besides.
    #[must_use]
    pub fn bytes(transactions: u64) -> u64 {
        ROUNDS_BYTES + 2 * BYTES * transactions.next_power_of_two().clamp(FEWEST, MOST)
    }
}

/// What transactions need that run in their turns on one block ([`Work::Turns`](super::Work::Turns)).
pub mod turns {
    use super::{Extent, Listings, claims};

    /// The bytes of what the device keeps for a chunk (`stm_turns_head`).
    pub const HEAD_BYTES: u64 = 16;
    /// The most transactions of a window, the fewest where there are many, and the fewest.
    pub const WINDOW: [u64; 3] = [1 << 12, 1 << 10, 1 << 6];
    /// The most functions whose transactions are told apart.
    pub const MOST_FUNCTIONS: u64 = 8;
    /// The bytes of what a block keeps while it finds turns (`stm_finding`), beside two bytes for each claim of a transaction and two tables.
    pub const FINDING_BYTES: u64 = 24 * MOST_FUNCTIONS + 24 + 2 * WINDOW[0];
    /// The most claims of a table.
    const MOST_CLAIMS: u64 = 1 << 13;
    /// The most warps of a block.
    pub const WARPS: u64 = 24;
    /// Where the arrays begin in the memory of the block that keeps them.
    pub const KEPT_FROM: u64 = 256;

    /// Returns how many claims a table has in blocks with that much memory, and the bytes that a block needs of it.
    #[must_use]
    pub fn of_block(bytes: u32, listings: Listings) -> (u64, u32) {
        let finding = FINDING_BYTES + 2 * WINDOW[0] * u64::from(listings.places[0]);
        let mut count = MOST_CLAIMS;
        while count > 1 && finding + 2 * claims::BYTES * count > bytes.into() {
            count /= 2;
        }
        (count, (finding + 2 * claims::BYTES * count) as u32)
    }

    /// Returns the bytes of the lists in device memory (`stm_turn_lists`).
    #[must_use]
    pub fn bytes(extent: Extent) -> u64 {
        8 * (extent.transactions / WINDOW[2] + 1) + 12 * extent.transactions
    }
}

/// A memory of an engine.
#[derive(Debug, Clone, Copy)]
pub struct Memory {
    /// The object that it belongs to.
    pub scope: Scope,
    /// Its size.
    pub bytes: fn(Extent) -> u64,
    /// What the host does with it after the run.
    pub content: Content,
}

/// What the host does with a memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Content {
    /// Nothing.
    Private,
    /// Of an array, one `u64` for each element: how often transactions declared to access it. The report shows the hottest.
    AccessCounts,
}

/// The numbers that the size of a memory depends on. A field that the scope does not have keeps the value of [`Extent::new`].
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
    /// The most elements that a transaction with writes accesses.
    pub footprint: u64,
    /// The most elements of the log of a transaction that writes; 0 if its set is in registers.
    pub logged: u64,
    /// The most elements of the set of a long transaction that only reads; 0 for others.
    pub walked: u64,
    /// The user states a bound on elements.
    pub stated: bool,
    /// Transactions of the chunk.
    pub transactions: u64,
    /// What is listed of those whose accesses are foreseen.
    pub listings: Listings,
    /// The engine's parameters.
    pub settings: Settings,
}

impl Extent {
    /// Returns an empty extent.
    #[must_use]
    pub const fn new(settings: Settings) -> Extent {
        Extent {
            scalar: Scalar::U64,
            elements: 0,
            locks: 0,
            record: false,
            threads: 0,
            footprint: 0,
            logged: 0,
            walked: 0,
            stated: false,
            transactions: 0,
            listings: Listings::NOTHING,
            settings,
        }
    }
}

impl Extent {
    /// Returns what the memory of a thread depends on while it runs transactions of a procedure.
    #[must_use]
    pub fn of_thread(procedure: &ProcedureSpec, record: bool, settings: Settings) -> Extent {
        let facts = &procedure.facts;
        let (logged, walked) = (facts.logged().into(), facts.walked().into());
        Extent { record, logged, walked, stated: facts.stated, ..Extent::new(settings) }
    }
}

impl Memory {
    /// Returns a memory that the host does not read.
    #[must_use]
    pub const fn new(scope: Scope, bytes: fn(Extent) -> u64) -> Memory {
        Memory { scope, bytes, content: Content::Private }
    }
}
