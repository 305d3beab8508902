//! The description of an engine: what it requires, its stages, and the memory that it keeps. The runtime, the linker and the tests
//! read it; they name no engine.

use std::slice;

use super::engine_memory::{Content, Extent, Memory, Scope};
use super::parameters::Parameter;
use super::stage::{Stage, ThreadMapping, Visited, Work};
use crate::abi::phases::Phase;
use crate::spec::{ProcedureSpec, Scalar};

/// A header of device code: its name, for `#line`, and its text.
pub type Header = (&'static str, &'static str);

/// The memory layout of an array on the device. The engine chooses it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Layout {
    /// 16-byte cells, `{u64 lock word, u64 value}`: one device access moves both. One lock word for each element.
    Cells,
    /// Packed elements, and a separate array of `u64` lock words.
    Split,
}

/// When an engine needs lock words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Locks {
    /// In every run.
    Always,
    /// Only in a recorded run, to number the versions.
    WhenRecording,
    /// Never. The engine keeps its own data for each element instead, so that lock coverage has no effect, and each component of a
    /// record is an element of its own.
    Never,
}

/// How commits are numbered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Versions {
    /// By lock word: each commit raises the version of every lock word that it wrote by exactly one, so a gap in a history is an
    /// error.
    ByLock,
    /// By a clock that all commits share, so that commits take effect one after the other.
    ByClock,
}

/// When a run whose engine the user did not choose uses an engine, instead of the default one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Planned {
    /// Never.
    Never,
    /// Where the last stage before execution visits some procedure.
    WhereUsed,
    /// Where it visits most procedures that write, and the arrays that one of them writes have few elements for the threads that the
    /// device holds.
    WhereCrowded,
    /// Where it visits most procedures that write, each of these commits in any case, there are many transactions, and locks are slow.
    /// They are slow if access sets lie in memory, and if few elements are written and [`Planned::WhereCrowded`] does not apply.
    /// Transactions that may not commit could form chains, in which locks are as fast.
    WhereForeseen,
    /// Where it visits all procedures, there are many transactions, their arrays fit into the memory of a block, turns there are predicted to be
    /// faster than locks and than order, and [`Planned::WhereCrowded`] does not apply.
    WhereKept,
}

/// What an engine requires of a batch. The default requires nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Requires {
    /// Every address depends on arguments alone.
    pub known_addresses: bool,
    /// Every array is `Partitioned`, so that each transaction works on one partition.
    pub partitions: bool,
    /// The most device threads that may run transactions.
    pub max_threads: Option<u64>,
    /// The most elements that a transaction with writes may access.
    pub max_footprint: Option<u64>,
    /// The most transactions on the device at once.
    pub max_transactions: Option<u64>,
}

impl Requires {
    /// Nothing.
    pub const NOTHING: Requires = Requires {
        known_addresses: false,
        partitions: false,
        max_threads: None,
        max_footprint: None,
        max_transactions: None,
    };
}

/// A number that an engine's code refers to by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EngineConstant {
    /// Always the same.
    Is(u64),
    /// The most elements that a transaction with writes accesses, over the procedures of the unit.
    WrittenFootprint,
    /// The most places of a transaction of [`Visited::Foreseen`] in the listing with that number, 0 or 1. In the first one at least 1. Of
    /// one of [`Visited::InTurn`] the most accesses.
    Places(usize),
    /// The cells of a place in that listing.
    Cells(usize),
    /// The most writes of such a transaction to arrays that are not read.
    UnreadWrites,
}

/// The values of some parameters, by name: a variant of an engine.
pub type Variant = &'static [(&'static str, u64)];

/// One entry of the list of engines.
#[derive(Debug, Clone, Copy)]
pub struct EngineSpec {
    /// The name on the command line.
    pub name: &'static str,
    /// One line for `--help` and error messages.
    pub summary: &'static str,
    /// Where the algorithm comes from.
    pub source: &'static str,
    /// The file name, for `#line`.
    pub file: &'static str,
    /// The device code.
    pub text: &'static str,
    /// Headers that it shares with other engines.
    pub needs: &'static [Header],
    /// The engine whose code comes before this one's, with that of the engine that it extends in turn: this one adds stages to it.
    pub extends: Option<&'static EngineSpec>,
    /// Headers that take the place of headers with the same names. Tests break engines that way; no listed engine has any.
    pub replaced: &'static [Header],
    /// Numbers that host and device agree on, by their names in the text.
    pub constants: &'static [(&'static str, EngineConstant)],
    /// Numbers that users may set.
    pub parameters: &'static [Parameter],
    /// Parameter values that turn it into another algorithm. Tests run these variants like engines.
    pub variants: &'static [Variant],
    /// What it requires of a batch.
    pub requires: Requires,
    /// Its kernels, in order. The last one executes.
    pub stages: &'static [Stage],
    /// Its code asks how the transactions of each procedure change elements.
    pub asks_changes: bool,
    /// Additions to arrays that the batch changes by sums alone are made after the commit, and it does not see these arrays.
    pub defers_sums: bool,
    /// The lanes of a warp that run no transactions take part in the commits of long ones.
    pub joint_commits: bool,
    /// The memory that it keeps in addition to elements and lock words.
    pub memory: &'static [Memory],
    /// The layout for elements of that type when one lock word covers `coverage` elements, for arrays with lock words of their own.
    pub layout: fn(Scalar, u64) -> Layout,
    /// When it needs lock words.
    pub locks: Locks,
    /// Bytes of a lock word next to packed elements: 4 or 8.
    pub lock_bytes: u32,
    /// How commits are numbered.
    pub versions: Versions,
    /// The phases of a commit that it measures separately in timed units.
    pub commit_phases: &'static [Phase],
    /// When a run whose engine the user did not choose uses it.
    pub planned: Planned,
    /// When a result can be wrong, where the published algorithm has a gap that is kept. Only the user selects such an engine.
    pub caveat: Option<&'static str>,
    /// Autotuning does not choose it. Either it shows the user something beside the run, or what is known of a batch says whether it
    /// suits ([`Self::planned`]).
    pub only_by_name: bool,
}

impl EngineSpec {
    /// Returns the stage that executes transactions.
    ///
    /// # Panics
    /// The engine has no stage.
    #[must_use]
    pub const fn execution(&self) -> &'static Stage {
        &self.stages[self.stages.len() - 1]
    }

    /// Returns the stages that visit transactions before they are executed, each with the visited procedures and the function.
    pub fn visits(&self) -> impl Iterator<Item = (&'static Stage, Visited, &'static str)> {
        self.stages.iter().flat_map(|stage| {
            let (visited, functions) = match &stage.work {
                Work::Visit(visited, function) | Work::Retry(visited, function) => {
                    (*visited, slice::from_ref(function))
                }
                Work::Rounds(visited, functions) | Work::Turns(visited, functions) => (*visited, functions.as_slice()),
                Work::Execute | Work::Route(..) | Work::Once(..) | Work::Check(_) | Work::Settle(_) => {
                    (Visited::ReadOnly, [].as_slice())
                }
            };
            functions.iter().map(move |function| (stage, visited, *function))
        })
    }

    /// Returns the procedures whose transactions the last stage before execution visits.
    #[must_use]
    pub fn last_visited(&self) -> Option<Visited> {
        self.visits().last().map(|(_, visited, _)| visited)
    }

    /// Returns whether stages before the execution can run transactions of the procedure at their turn in push order; `None` if they
    /// keep no order.
    #[must_use]
    pub fn has_turns(&self, procedure: &ProcedureSpec) -> Option<bool> {
        self.last_visited()?.has_turns(procedure)
    }

    /// Returns the work of the stage that runs transactions in their turn on values in place, if there is one.
    pub fn takes_turns(&self) -> Option<Work> {
        let in_place = |stage: &&Stage| matches!(stage.work, Work::Rounds(..) | Work::Turns(..));
        self.stages.iter().find(in_place).map(|stage| stage.work)
    }

    /// Returns whether stages before the execution keep the order of the batch.
    #[must_use]
    pub fn keeps_order(&self) -> bool {
        matches!(self.last_visited(), Some(Visited::Foreseen | Visited::InTurn))
    }

    /// Returns whether transactions can be finished before the stage that executes them.
    #[must_use]
    pub fn finishes_in_visits(&self) -> bool {
        self.stages.iter().any(|stage| stage.finishes)
    }

    /// Returns whether autotuning may choose it.
    #[must_use]
    pub const fn is_candidate(&self) -> bool {
        self.caveat.is_none() && !self.only_by_name
    }

    /// Returns whether the components of a record have one lock word. Without lock words, each component has the engine's data of
    /// its own.
    #[must_use]
    pub const fn locks_records(&self) -> bool {
        !matches!(self.locks, Locks::Never)
    }

    /// Returns the layout of an array when one lock word covers `coverage` elements. `is_component` means that the array shares its
    /// lock words with the other components of a record, so that they lie next to no value.
    #[must_use]
    pub fn layout_of(&self, scalar: Scalar, coverage: u64, is_component: bool) -> Layout {
        if is_component && self.locks_records() { Layout::Split } else { (self.layout)(scalar, coverage) }
    }

    /// Returns whether it runs one transaction at a time.
    #[must_use]
    pub const fn is_sequential(&self) -> bool {
        matches!(self.execution().threads, ThreadMapping::One)
    }

    /// Returns whether each commit raises the version of what it wrote by exactly one.
    #[must_use]
    pub const fn numbers_commits_by_lock(&self) -> bool {
        matches!(self.versions, Versions::ByLock)
    }

    /// Returns whether the text of one procedure depends on the other procedures of the unit.
    #[must_use]
    pub fn depends_on_all_procedures(&self) -> bool {
        let is_of_all = |(_, constant): &(_, EngineConstant)| !matches!(constant, EngineConstant::Is(_));
        self.asks_changes || self.constants.iter().any(is_of_all)
    }

    /// Returns the code that the scheduler calls: service blocks, or partitions in blocks.
    #[must_use]
    pub const fn has_scheduler_code(&self) -> bool {
        self.execution().is_served() || self.execution().keeps_elements_in_blocks()
    }

    /// Returns all memories of a scope, in the order of the description.
    pub fn memory_of(&self, scope: Scope) -> impl Iterator<Item = &'static Memory> {
        self.memory.iter().filter(move |memory| memory.scope == scope)
    }

    /// Returns the bytes of all memories of a scope, one after the other.
    #[must_use]
    pub fn bytes(&self, scope: Scope, extent: Extent) -> u64 {
        self.memory_of(scope).map(|memory| (memory.bytes)(extent)).sum()
    }

    /// Returns where a content begins among the memories of its scope, in bytes; `None` if the engine does not keep it.
    #[must_use]
    pub fn offset_of(&self, content: Content, extent: Extent) -> Option<u64> {
        let at = self.memory.iter().position(|memory| memory.content == content)?;
        let scope = self.memory[at].scope;
        let earlier = self.memory[..at].iter().filter(|memory| memory.scope == scope);
        Some(earlier.map(|memory| (memory.bytes)(extent)).sum())
    }

    /// Returns whether it counts for the report how often transactions access each element.
    #[must_use]
    pub fn counts_accesses(&self) -> bool {
        self.memory.iter().any(|memory| memory.content == Content::AccessCounts)
    }
}
