//! The description of a unit: everything that is known of a batch before its device code is printed.

use super::engine::{EngineSpec, Layout};
use super::tuned::Tuned;
use crate::abi::launch;
use crate::abi::profile::ProfileLayout;
use crate::spec::{Param, ProcedureSpec, Scalar};

/// One array of the batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ArraySpec {
    /// Element type.
    pub scalar: Scalar,
    /// Its layout on the device.
    pub layout: Layout,
    /// Elements under one lock word, as a power of two.
    pub coverage_log2: u32,
    /// Elements of a partition; 0 for an array that is not partitioned.
    pub part: u64,
    /// The first array of the batch whose lock words are also this array's: its own index, unless it is a component of a record
    /// with another component before it.
    pub group: usize,
    /// How the batch uses it.
    pub used: ArrayUse,
}

/// How a batch uses an array. Only the first kind has lock words, and reaches the engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ArrayUse {
    /// In any way.
    Locked,
    /// No procedure writes it or counts its elements ([`ProcedureSpec::seen_arrays`]), and the engine does not keep elements in
    /// blocks.
    Constant,
    /// Every procedure changes it by sums alone and needs no value of it ([`ProcedureSpec::deferrable`]), and the engine defers sums.
    Deferred,
}

impl ArraySpec {
    /// Returns whether it has lock words.
    #[must_use]
    pub fn is_locked(&self) -> bool {
        self.used == ArrayUse::Locked
    }
}

/// One way of calling a procedure: its arrays and where its values are.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct SpecializationSpec {
    /// Index into [`UnitSpec::procedures`].
    pub procedure: usize,
    /// For each array parameter in order, an index into [`UnitSpec::arrays`].
    pub arrays: Vec<usize>,
    /// For each value parameter in order, an index into [`UnitSpec::columns`].
    pub columns: Vec<usize>,
}

/// The width of an argument column's entries: that of the values, from 1 byte to 8.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs)]
pub enum ColumnWidth {
    U8,
    U16,
    U32,
    U64,
}

impl ColumnWidth {
    /// Returns the width for values of that many bytes.
    #[must_use]
    pub const fn of(bytes: usize) -> ColumnWidth {
        match bytes {
            0 | 1 => ColumnWidth::U8,
            2 => ColumnWidth::U16,
            3 | 4 => ColumnWidth::U32,
            _ => ColumnWidth::U64,
        }
    }

    /// Returns the bytes of an entry.
    #[must_use]
    pub const fn bytes(self) -> usize {
        match self {
            ColumnWidth::U8 => 1,
            ColumnWidth::U16 => 2,
            ColumnWidth::U32 => 4,
            ColumnWidth::U64 => 8,
        }
    }
}

impl ColumnWidth {
    /// Returns a column with entries of this width.
    #[must_use]
    pub const fn listed(self) -> ColumnSpec {
        ColumnSpec { width: self, source: ColumnSource::Listed }
    }
}

/// An argument column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub struct ColumnSpec {
    pub width: ColumnWidth,
    pub source: ColumnSource,
}

/// Where the values of an argument column come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ColumnSource {
    /// They are in memory.
    Listed,
    /// The first one is a parameter of the launch, and each following one is one more.
    Counted,
    /// All have the same, which is a parameter of the launch.
    Same,
}

/// Everything that a unit is made from.
#[derive(Debug, Clone, Copy)]
pub struct UnitSpec<'a> {
    /// The concurrency control.
    pub engine: Tuned,
    /// The procedures in the batch.
    pub procedures: &'a [&'a ProcedureSpec],
    /// The ways in which they are called; a transaction's entry in the specialization column is an index into it.
    pub specializations: &'a [SpecializationSpec],
    /// The arrays of the batch.
    pub arrays: &'a [ArraySpec],
    /// The argument columns. Each is read in the row of the transaction.
    pub columns: &'a [ColumnSpec],
    /// The first column has the row of each transaction in the others, which belong to one procedure each. Otherwise the row is the
    /// transaction's index.
    pub rows: bool,
    /// Some procedure returns a value.
    pub results: bool,
    /// Count conflicts and waits, as [`ProfileLayout`] says.
    pub profile: bool,
    /// Add up the time of each phase.
    pub phases: bool,
    /// Record histories.
    pub record: bool,
    /// The stages before the execution run every transaction, with the outcome of push order.
    pub pushed: bool,
    /// Several devices run it together, on memory that all of them reach.
    pub cluster: bool,
}

impl UnitSpec<'static> {
    /// Returns a unit without procedures, as users run it: it counts, times and records nothing.
    #[must_use]
    pub const fn new(engine: Tuned) -> UnitSpec<'static> {
        UnitSpec {
            engine,
            procedures: &[],
            specializations: &[],
            arrays: &[],
            columns: &[],
            rows: false,
            results: false,
            profile: false,
            phases: false,
            record: false,
            pushed: false,
            cluster: false,
        }
    }
}

impl UnitSpec<'_> {
    /// Returns where its counts lie; if it is not profiled, the layout of no procedures.
    #[must_use]
    pub fn profile_layout(&self) -> ProfileLayout {
        let profiled = if self.profile { self.procedures } else { &[] };
        ProfileLayout::of(profiled.iter().map(|procedure| procedure.locations.len()))
    }

    /// Returns the number of places among the parameters of a launch.
    pub(super) fn places(&self) -> usize {
        launch::places(self.columns.len(), self.arrays.len())
    }

    /// Returns the type of an array's number that is stored on the device.
    pub(super) fn array_number(&self) -> &'static str {
        if self.arrays.len() <= 1 << 8 { "u8" } else { "u16" }
    }
}

/// Returns arrays for the parameters of a procedure that is called with an array for each. Their indices begin at `first`. Those
/// that the engine need not see are constant, or deferred.
#[must_use]
pub fn arrays_of(engine: &EngineSpec, procedure: &ProcedureSpec, coverage: u64, first: usize) -> Vec<ArraySpec> {
    let params: Vec<&Param> = procedure.params.iter().filter(|param| param.role.array().is_some()).collect();
    let seen: Vec<usize> = procedure.seen_arrays().collect();
    let deferrable: Vec<Option<u32>> = procedure.deferrable().collect();
    let use_of = |nth: usize| match seen.contains(&nth) || engine.execution().keeps_elements_in_blocks() {
        false => ArrayUse::Constant,
        true if engine.defers_sums && deferrable[nth].is_some() => ArrayUse::Deferred,
        true => ArrayUse::Locked,
    };
    let is_locked = |nth: usize| use_of(nth) == ArrayUse::Locked;
    let component = |(nth, param): (usize, &&Param)| {
        let scalar = param.role.array()?;
        let part = param.role.part().unwrap_or(0);
        if !is_locked(nth) {
            let layout = Layout::Split;
            return Some(ArraySpec { scalar, layout, coverage_log2: 0, part, group: first + nth, used: use_of(nth) });
        }
        let alike = |other: &usize| params[*other].parameter() == param.parameter();
        let leader = (0..nth).filter(|other| is_locked(*other)).find(alike).unwrap_or(nth);
        let is_component = (0..params.len()).filter(alike).count() > 1;
        let locks = engine.locks_records();
        Some(ArraySpec {
            scalar,
            layout: engine.layout_of(scalar, coverage, is_component),
            coverage_log2: if locks { coverage.ilog2() } else { 0 },
            part,
            group: first + if locks { leader } else { nth },
            used: ArrayUse::Locked,
        })
    };
    params.iter().enumerate().filter_map(component).collect()
}
