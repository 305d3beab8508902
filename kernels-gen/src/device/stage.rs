//! The stages of an engine: the kernels of a unit, in the order in which they are launched.

use crate::spec::ProcedureSpec;

/// The kernel that executes transactions. Every unit has it, and hand-written units have no other.
pub const EXECUTE: &str = "stm_run";

/// Threads of a block in every unit.
pub const BLOCK: u32 = 256;

/// One kernel of an engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stage {
    /// The name of the kernel.
    pub entry: &'static str,
    /// What it does with the transactions of a chunk.
    pub work: Work,
    /// Which device threads run transactions.
    pub threads: ThreadMapping,
    /// Threads in flight where the user sets no number; `None` for as many as keep the device busy.
    pub usual_threads: Option<u64>,
    /// Blocks that run no transactions but serve the others (`stm_serve`).
    pub service_blocks: u32,
    /// Where the elements are while transactions work on them.
    pub residency: Residency,
    /// Whether a visit can finish a transaction. Then every status is valid after it.
    pub finishes: bool,
    /// Whether its blocks may wait for each other. Then all of them are on one device, also in a cluster.
    pub waits: bool,
    /// Bytes of block memory for each element of [`Scope::Sums`](super::Scope::Sums), where there are few. The functions
    /// `stm_begin` and `stm_end`, with the rest of the visit's name, keep them.
    pub copies: u32,
    /// Whether it resolves the pieces of the listing that the visits before it have made.
    pub resolves: bool,
}

/// The function that finds the device of a transaction (`device_of.cuh`).
pub(super) const DEVICE_OF: &str = "stm_device_of";

/// The stage that every unit of a cluster has first, if it can.
pub static ROUTE: Stage =
    Stage { entry: "stm_route", work: Work::Route(Visited::KnownAddresses, DEVICE_OF), ..Stage::EXECUTE };

/// What a stage does with the transactions of a chunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Work {
    /// Executes each of them until it is finished, postponed, or out of attempts. It is launched while there is progress.
    Execute,
    /// Lists all transactions by the devices of a cluster, before any of them is visited or executed: the function template of that name
    /// returns the device of one of these, like a visit.
    Route(Visited, &'static str),
    /// Visits each of these once, before any of them is executed, with the function template of that name:
    /// `template <class Specialization, class... Arrays> u32 visit(const stm_params&, u32 transaction, Arrays...)`. It returns how
    /// many transactions it has committed: 0 or 1.
    Visit(Visited, &'static str),
    /// Visits those of these that are not finished, as [`Work::Visit`], again and again while that brings something. Then what
    /// [`Work::Settle`] says is done once more.
    Retry(Visited, &'static str),
    /// Runs each of these in its turn, in rounds of claims and runs: with two function templates like those of visits, the first of which
    /// claims what a transaction declares. The second one runs it, if its turn has come. `stm_make_rounds` calls them.
    Rounds(Visited, [&'static str; 2]),
    /// Runs each of these in its turn, on one block, with two such function templates: they list what a transaction claims, and run it
    /// once its turn has come. `stm_take_turns` calls them. The block may keep arrays in its memory.
    Turns(Visited, [&'static str; 2]),
    /// Runs the function of that name once, on all threads of a launch, after all these transactions have been visited: `void
    /// run(const stm_params&)`.
    Once(Visited, &'static str),
    /// Visits each element as [`Work::Settle`], after the stages before it have visited all transactions, and changes none.
    Check(&'static str),
    /// Visits each element of [`Scope::Sums`](super::Scope::Sums), after all transactions have been visited, with the function
    /// template of that name: `template <class T, bool CELLS> void visit(const stm_params&, const stm_address&)`. It is launched
    /// once, in any case. Elements of [`Visited::Foreseen`] are visited by groups of arrays:
    /// `template <bool LATE, class Install> void visit(const stm_params&, const stm_address& first, Install)`.
    Settle(&'static str),
}

/// The most elements that a transaction of [`Visited::AnyOrder`] accesses: all of them are compared with each other.
const MOST_CHANGED: usize = 8;

/// The most writes of a transaction of [`Visited::Foreseen`]: each has memory for as many as the longest one.
pub(super) const MOST_FORESEEN: u32 = 512;

/// The most elements that a transaction of [`Visited::InTurn`] accesses: they are in registers.
pub(super) const MOST_DECLARED: usize = 16;

/// The procedures whose transactions a stage visits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Visited {
    /// Those that declare all their accesses before they run.
    KnownAddresses,
    /// Those that write no element and print nothing.
    ReadOnly,
    /// Those whose order does not matter among all of the batch for which that is so.
    AnyOrder,
    /// Those that write, and whose accesses are known before they run.
    Foreseen,
    /// Those that declare all their accesses, few of them, and print nothing.
    InTurn,
    /// Those of [`Visited::Foreseen`] that take part in the second listing.
    Late,
}

impl Visited {
    /// Returns whether a stage visits the procedure in some batch. In another one, other procedures may prevent it.
    #[must_use]
    pub fn may_contain(self, procedure: &ProcedureSpec) -> bool {
        match self {
            Visited::KnownAddresses => procedure.facts.orderable,
            Visited::ReadOnly => procedure.facts.read_only && procedure.lines.is_empty(),
            Visited::AnyOrder => {
                let facts = &procedure.facts;
                facts.flow.order_matters.is_none() && !facts.read_only && facts.slots.len() <= MOST_CHANGED
            }
            Visited::Foreseen | Visited::Late => {
                let foresight = procedure.facts.flow.foresight.filter(|_| procedure.lines.is_empty());
                foresight.is_some_and(|foresight| {
                    !procedure.facts.read_only && foresight.most_writes(procedure, |_| true) <= MOST_FORESEEN
                })
            }
            Visited::InTurn => {
                let slots = procedure.facts.slots.len();
                procedure.facts.orderable && (1..=MOST_DECLARED).contains(&slots) && procedure.lines.is_empty()
            }
        }
    }

    /// Returns whether a stage can run transactions of the procedure at their turn in push order, whatever else is in the batch. `None` if
    /// the stage keeps no order.
    #[must_use]
    pub fn has_turns(self, procedure: &ProcedureSpec) -> Option<bool> {
        match self {
            Visited::Foreseen => {
                let follows = procedure.facts.flow.foresight.is_some_and(|known| known.accesses.is_empty());
                Some((follows && self.may_contain(procedure)) || Visited::ReadOnly.may_contain(procedure))
            }
            Visited::InTurn => Some(self.may_contain(procedure)),
            Visited::KnownAddresses | Visited::ReadOnly | Visited::AnyOrder | Visited::Late => None,
        }
    }
}

/// Which device threads run transactions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ThreadMapping {
    /// As many as the launch has.
    Threads,
    /// One thread of each block.
    OnePerBlock,
    /// One thread.
    One,
}

/// Where the elements are while transactions work on them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Residency {
    /// In device memory.
    Device,
    /// In the memory of a block: the partitions of `Partitioned` arrays, one partition after the other, with the transactions that
    /// work on it.
    Block,
}

impl Stage {
    /// Executes transactions on as many threads as requested, in device memory.
    pub const EXECUTE: Stage = Stage {
        entry: EXECUTE,
        work: Work::Execute,
        threads: ThreadMapping::Threads,
        usual_threads: None,
        service_blocks: 0,
        residency: Residency::Device,
        finishes: false,
        waits: false,
        copies: 0,
        resolves: false,
    };

    /// Returns a stage that visits each of these transactions of a chunk once, each on its own thread.
    #[must_use]
    pub const fn visit(entry: &'static str, visited: Visited, function: &'static str) -> Stage {
        Stage { entry, work: Work::Visit(visited, function), ..Stage::EXECUTE }
    }

    /// Returns the same where a visit can finish a transaction.
    #[must_use]
    pub const fn finishing(entry: &'static str, visited: Visited, function: &'static str) -> Stage {
        Stage { finishes: true, ..Stage::visit(entry, visited, function) }
    }

    /// Returns a stage that visits those of these transactions that are not finished, while that brings something.
    #[must_use]
    pub const fn retrying(entry: &'static str, visited: Visited, function: &'static str) -> Stage {
        Stage { entry, work: Work::Retry(visited, function), finishes: true, ..Stage::EXECUTE }
    }

    /// Returns a stage that runs each of these transactions in its turn, in rounds.
    #[must_use]
    pub const fn rounds(entry: &'static str, visited: Visited, functions: [&'static str; 2]) -> Stage {
        Stage { entry, work: Work::Rounds(visited, functions), finishes: true, waits: true, ..Stage::EXECUTE }
    }

    /// Returns a stage that runs each of these transactions in its turn, on one block.
    #[must_use]
    pub const fn turns(entry: &'static str, visited: Visited, functions: [&'static str; 2]) -> Stage {
        Stage { entry, work: Work::Turns(visited, functions), finishes: true, waits: true, ..Stage::EXECUTE }
    }

    /// Returns a stage that runs a function once after it has visited these transactions.
    #[must_use]
    pub const fn once(entry: &'static str, visited: Visited, function: &'static str) -> Stage {
        Stage { entry, work: Work::Once(visited, function), waits: true, ..Stage::EXECUTE }
    }

    /// Returns the same where it also resolves the pieces of what they have listed.
    #[must_use]
    pub const fn resolving(entry: &'static str, visited: Visited, function: &'static str) -> Stage {
        Stage { resolves: true, ..Stage::once(entry, visited, function) }
    }

    /// Returns a stage that visits each element of `Scope::Sums`, and changes none.
    #[must_use]
    pub const fn checking(entry: &'static str, function: &'static str) -> Stage {
        Stage { entry, work: Work::Check(function), ..Stage::EXECUTE }
    }

    /// Returns a stage that visits each element of `Scope::Sums`.
    #[must_use]
    pub const fn settling(entry: &'static str, function: &'static str) -> Stage {
        Stage { entry, work: Work::Settle(function), ..Stage::EXECUTE }
    }

    /// Returns the stage with that many bytes of block memory for each element, where there are few.
    #[must_use]
    pub const fn with_copies(self, copies: u32) -> Stage {
        Stage { copies, ..self }
    }

    /// Returns the threads of a block, where most blocks have `most`: one warp where only a single thread runs transactions. Blocks with
    /// much memory are larger, since few fit on a multiprocessor.
    #[must_use]
    pub const fn block_threads(&self, most: u32) -> u32 {
        match self.threads {
            ThreadMapping::Threads if matches!(self.work, Work::Turns(..)) => 3 * most,
            ThreadMapping::Threads if self.copies > 0 => 2 * most,
            ThreadMapping::Threads => most,
            ThreadMapping::OnePerBlock | ThreadMapping::One => 32,
        }
    }

    /// Returns whether a launch may have any number of threads in a block, and of lanes in a warp.
    #[must_use]
    pub const fn has_free_shape(&self) -> bool {
        matches!(self.threads, ThreadMapping::Threads)
    }

    /// Returns whether transactions wait for blocks that serve them.
    #[must_use]
    pub const fn is_served(&self) -> bool {
        self.service_blocks > 0
    }

    /// Returns whether transactions run by partition, with the partition's elements in block memory.
    #[must_use]
    pub const fn keeps_elements_in_blocks(&self) -> bool {
        matches!(self.residency, Residency::Block)
    }
}
