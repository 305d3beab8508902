//! The description of a unit: everything that is known of a batch before its device code is printed.

use super::engine::Layout;
use super::tuned::Tuned;
use crate::spec::{ProcedureSpec, Scalar};

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

/// The width of an argument column's entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ColumnWidth {
    /// For values of up to 4 bytes.
    U32,
    /// For values of 8 bytes.
    U64,
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
    /// The argument columns.
    pub columns: &'a [ColumnWidth],
    /// Some procedure returns a value.
    pub results: bool,
    /// Count conflicts by location.
    pub profile: bool,
    /// Add up the time of each phase.
    pub phases: bool,
    /// Record histories.
    pub record: bool,
}
