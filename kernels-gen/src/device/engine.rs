//! The row of an engine: what it requires, its stages, and the memory that it keeps. The runtime, the linker and the tests ask
//! the row, and no engine by name.

use super::engine_memory::{Content, Extent, Memory, Scope};
use super::parameters::Parameter;
use super::stage::{Stage, ThreadMapping, Work};
use crate::abi::phases::Phase;
use crate::spec::Scalar;

/// A header of device code: its name, for `#line`, and its text.
pub type Header = (&'static str, &'static str);

/// How an array lies on the device. The engine chooses it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Layout {
    /// 16-byte cells, `{u64 lock word, u64 value}`: one device access moves both. One lock word for each element.
    Cells,
    /// Packed elements, and a table of `u64` lock words beside them.
    Split,
}

/// When an engine needs lock words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Locks {
    /// In every run.
    Always,
    /// Only where a run is recorded, to number the versions.
    WhenRecording,
    /// Never. What it keeps instead is for each element, so that an array's coverage means nothing.
    Never,
}

/// How commits are numbered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Versions {
    /// By lock word: each commit raises the version of what it wrote by exactly one, so a gap in a history is an error.
    ByLock,
    /// By a clock that all commits share, so that they take effect one after the other.
    ByClock,
}

/// What a batch must be like for an engine. What no batch meets is left out: no limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Requires {
    /// Every address depends on arguments alone.
    pub known_addresses: bool,
    /// Every array is `Partitioned`, so that each transaction works on one partition.
    pub partitions: bool,
    /// The most device threads that may run transactions.
    pub max_threads: Option<u64>,
    /// The most elements that a transaction which may write may touch.
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

/// A number that an engine's text names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Constant {
    /// Always the same.
    Is(u64),
    /// The most elements that a transaction of the unit touches which may write.
    WrittenFootprint,
}

/// The values of some parameters, by name: a variant of an engine.
pub type Variant = &'static [(&'static str, u64)];

/// One row of the table.
#[derive(Debug, Clone, Copy)]
pub struct EngineSpec {
    /// What the user types.
    pub name: &'static str,
    /// One line for `--help` and error messages.
    pub summary: &'static str,
    /// Where the algorithm comes from.
    pub source: &'static str,
    /// The file, for `#line`.
    pub file: &'static str,
    /// The device code.
    pub text: &'static str,
    /// Headers that it shares with some other engines.
    pub needs: &'static [Header],
    /// The engine whose code stands before its own: it adds stages to that engine.
    pub extends: Option<&'static EngineSpec>,
    /// What stands in place of headers of the same names: for tests, which break engines that way. No engine of the table
    /// has any.
    pub replaced: &'static [Header],
    /// Numbers that host and device agree on, by their names in the text.
    pub constants: &'static [(&'static str, Constant)],
    /// Numbers that users may set.
    pub parameters: &'static [Parameter],
    /// Values of parameters that make another algorithm of it, which tests run as they run engines.
    pub variants: &'static [Variant],
    /// What a batch must be like.
    pub requires: Requires,
    /// Its kernels, in order. The last one executes.
    pub stages: &'static [Stage],
    /// What it keeps beside elements and lock words.
    pub memory: &'static [Memory],
    /// The layout it wants for elements of that type when one lock word covers `coverage` elements.
    pub layout: fn(Scalar, u64) -> Layout,
    /// When it needs lock words.
    pub locks: Locks,
    /// Bytes of a lock word beside packed elements: 4 or 8.
    pub lock_bytes: u32,
    /// How commits are numbered.
    pub versions: Versions,
    /// The phases of a commit that it tells apart in timed units.
    pub tells: &'static [Phase],
    /// When an outcome can be wrong, where the algorithm of the source has a gap that is kept. Nobody chooses such an engine
    /// but the user.
    pub caveat: Option<&'static str>,
    /// It does more than to run a batch, to tell the user something. Nobody chooses such an engine but the user.
    pub is_diagnostic: bool,
}

impl EngineSpec {
    /// The stage that executes transactions.
    ///
    /// # Panics
    /// The row has no stage.
    #[must_use]
    pub const fn execution(&self) -> &'static Stage {
        &self.stages[self.stages.len() - 1]
    }

    /// The stages that visit every transaction before it is executed: each with its function.
    pub fn visits(&self) -> impl Iterator<Item = (&'static Stage, &'static str)> {
        self.stages.iter().filter_map(|stage| match stage.work {
            Work::Visit(function) => Some((stage, function)),
            Work::Execute => None,
        })
    }

    /// A measured tuning may choose it.
    #[must_use]
    pub const fn is_candidate(&self) -> bool {
        self.caveat.is_none() && !self.is_diagnostic
    }

    /// It runs one transaction at a time.
    #[must_use]
    pub const fn is_sequential(&self) -> bool {
        matches!(self.execution().threads, ThreadMapping::One)
    }

    /// Each commit raises the version of what it wrote by exactly one.
    #[must_use]
    pub const fn numbers_commits_by_lock(&self) -> bool {
        matches!(self.versions, Versions::ByLock)
    }

    /// The text of a procedure's part depends on the other procedures of the unit.
    #[must_use]
    pub fn depends_on_all_procedures(&self) -> bool {
        self.constants.iter().any(|(_, constant)| *constant == Constant::WrittenFootprint)
    }

    /// The text that the scheduler calls: service blocks, or partitions in blocks.
    #[must_use]
    pub const fn has_scheduler_code(&self) -> bool {
        self.execution().is_served() || self.execution().keeps_elements_in_blocks()
    }

    /// The memories of a scope, in the order of the row.
    pub fn memory_of(&self, scope: Scope) -> impl Iterator<Item = &'static Memory> {
        self.memory.iter().filter(move |memory| memory.scope == scope)
    }

    /// Bytes of all memories of a scope, one after the other.
    #[must_use]
    pub fn bytes(&self, scope: Scope, extent: Extent) -> u64 {
        self.memory_of(scope).map(|memory| (memory.bytes)(extent)).sum()
    }

    /// Where a content begins among the memories of its scope, in bytes; `None` if the engine does not keep it.
    #[must_use]
    pub fn offset_of(&self, content: Content, extent: Extent) -> Option<u64> {
        let at = self.memory.iter().position(|memory| memory.content == content)?;
        let scope = self.memory[at].scope;
        let earlier = self.memory[..at].iter().filter(|memory| memory.scope == scope);
        Some(earlier.map(|memory| (memory.bytes)(extent)).sum())
    }

    /// It counts for the report how often transactions access each element.
    #[must_use]
    pub fn counts_accesses(&self) -> bool {
        self.memory.iter().any(|memory| memory.content == Content::AccessCounts)
    }
}
