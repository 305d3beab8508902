//! Everything that can go wrong outside of a transaction. What goes wrong inside one is an outcome in the report.

use kernels_gen::compile::KindError;

use crate::gpu::GpuError;

/// Why something could not be created or run.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    // --- names and options -------------------------------------------------------------------------------------------
    /// No device goes by that name.
    #[error("unknown device `{name}`; use {known}")]
    UnknownDevice {
        /// What was asked for.
        name: String,
        /// The forms that are understood.
        known: &'static str,
    },
    /// No engine goes by that name.
    #[error("unknown engine `{name}`; use one of: {known}")]
    UnknownEngine {
        /// What was asked for.
        name: String,
        /// The names of all engines.
        known: String,
    },
    /// A lock word covers a number of elements that is not a power of two.
    #[error("a lock word cannot cover {coverage} elements; use a power of two up to {max}")]
    Coverage {
        /// What was asked for.
        coverage: usize,
        /// The most elements that a lock word can cover.
        max: usize,
    },

    // --- kinds -------------------------------------------------------------------------------------------------------
    /// A transaction's function does not compile for devices, for a reason that is known only when the program runs: the
    /// types, constants and functions that it names lie elsewhere.
    #[error(transparent)]
    Kind(#[from] KindError),

    // --- tables and regions ------------------------------------------------------------------------------------------
    /// A call names a region that lives on another device than the table.
    #[error(
        "transaction {row} calls `{kind}` with a region of another device for `{parameter}`; \
         create the region with the device that the table is of ({device})"
    )]
    ForeignRegion {
        /// The row of the call.
        row: usize,
        /// The function called.
        kind: &'static str,
        /// Its parameter.
        parameter: &'static str,
        /// The table's device.
        device: String,
    },
    /// More of something than one table holds.
    #[error("transaction {row} needs more than {max} {what} in one table; split the table")]
    TableFull {
        /// The row that no longer fitted.
        row: usize,
        /// What there are too many of.
        what: &'static str,
        /// How many there can be.
        max: usize,
    },
    /// A run, or a read of a region, from within a run that already holds the region.
    #[error("the region is in use by the run that this call is made from; wait until `run` returns")]
    RegionInUse,
    /// The host has not enough memory.
    #[error("not enough host memory for {bytes} bytes of {what}; use fewer transactions in one table")]
    HostMemory {
        /// What for.
        what: &'static str,
        /// How many bytes.
        bytes: u64,
    },

    // --- devices -----------------------------------------------------------------------------------------------------
    /// The device or its driver failed, or is not there.
    #[error(transparent)]
    Gpu(#[from] GpuError),
}
