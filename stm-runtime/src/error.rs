//! Everything that can go wrong outside of a transaction. What goes wrong inside one is an outcome in the report.

use std::convert::Infallible;
use std::path::PathBuf;

use kernels_gen::compile::ProcedureError;

use crate::gpu::GpuError;
use crate::memory::NoMemory;

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
    /// The text of an engine with parameters is not in order.
    #[error("`{text}` does not name an engine: {problem}; write `name` or `name(parameter=value, parameter=value)`")]
    EngineSyntax {
        /// What was asked for.
        text: String,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// An engine has no parameter of that name.
    #[error("engine `{engine}` has no parameter `{name}`; {known}")]
    UnknownParameter {
        /// The engine.
        engine: &'static str,
        /// What was asked for.
        name: String,
        /// What it has, each with default, bounds and meaning.
        known: String,
    },
    /// A parameter of an engine cannot have that value.
    #[error("`{name}` of engine `{engine}` cannot be `{value}`; use a whole number from {least} to {most}")]
    ParameterValue {
        /// The engine.
        engine: &'static str,
        /// The parameter.
        name: &'static str,
        /// What was asked for.
        value: String,
        /// The least that it can be.
        least: u64,
        /// The most that it can be.
        most: u64,
    },
    /// A file does not hold a choice of an engine, or cannot be read or written.
    #[error(
        "{}: {problem}; a file of a tuning is what `Tuning::save` writes after a run with `Selection::auto()`",
        path.display()
    )]
    TuningFile {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        problem: String,
    },
    /// An option of a batch, or of a device, cannot have that value.
    #[error("`{option}` cannot be {value}; use a whole number {}", bounds(*least, *most))]
    OptionValue {
        /// The option.
        option: &'static str,
        /// What was asked for.
        value: u64,
        /// The least that it can be.
        least: u64,
        /// The most that it can be.
        most: u64,
    },
    /// A lock word covers a number of elements that is not a power of two.
    #[error("a lock word cannot cover {coverage} elements; use a power of two up to {max}")]
    Coverage {
        /// What was asked for.
        coverage: usize,
        /// The most elements that a lock word can cover.
        max: usize,
    },

    /// The elements of a `Partitioned` do not fill whole parts.
    #[error(
        "{elements} elements are no whole number of parts of {part}; leave some out or add some, at most 2^32 - 1 parts"
    )]
    Parts {
        /// How many elements were given.
        elements: usize,
        /// How many elements a part has.
        part: usize,
    },
    /// A part that a `Partitioned` does not have.
    #[error("there is no part {number}: the array has {parts}, counted from 0")]
    NoPart {
        /// The number asked for.
        number: u32,
        /// How many there are.
        parts: u32,
    },

    // --- procedures -------------------------------------------------------------------------------------------------------
    /// A transaction's function does not compile for devices, for a reason that is known only when the program runs: the
    /// types, constants and functions that it names lie elsewhere.
    #[error(transparent)]
    Procedure(#[from] ProcedureError),

    // --- batches and arrays ------------------------------------------------------------------------------------------
    /// A call names an array that lives on another device than the batch.
    #[error(
        "transaction {transaction} calls `{procedure}` with an array of another device for `{parameter}`; \
         create the array with the device that the batch is of ({device})"
    )]
    ForeignArray {
        /// The transaction of the call.
        transaction: usize,
        /// The function called.
        procedure: &'static str,
        /// Its parameter.
        parameter: &'static str,
        /// The batch's device.
        device: String,
    },
    /// A call takes a part of an array for a `&Shared` parameter.
    #[error(
        "transaction {transaction} calls `{procedure}` with a part of an array for `{parameter}`, which is a `&Shared` and would be all \
         parts; write `&Partition<T, N>` in `{procedure}`, or create the array with `Device::shared`"
    )]
    NotShared {
        /// The transaction of the call.
        transaction: usize,
        /// The function called.
        procedure: &'static str,
        /// Its parameter.
        parameter: &'static str,
    },
    /// A call takes different parts for its `Partition` parameters.
    #[error(
        "transaction {transaction} calls `{procedure}` with part {} for `{}` and part {} for `{}`; a transaction works on one part: pass \
         that of the same number of each array", parts[0], parameters[0], parts[1], parameters[1]
    )]
    PartsDiffer {
        /// The transaction of the call.
        transaction: usize,
        /// The function called.
        procedure: &'static str,
        /// The first parameter, and the first that differs.
        parameters: [&'static str; 2],
        /// Their parts.
        parts: [u32; 2],
    },
    /// More of something than one batch holds.
    #[error("transaction {transaction} needs more than {max} {what} in one batch; split the batch")]
    BatchFull {
        /// The transaction that no longer fitted.
        transaction: usize,
        /// What there are too many of.
        what: &'static str,
        /// How many there can be.
        max: usize,
    },
    /// A call that would have to wait for a shared array, from inside of a run: from a progress function, or from a function that a
    /// transaction runs. It might wait for ever.
    #[error(
        "the shared array is in use by a run, and the call is made from inside of a run (a progress function, say), where nothing \
         waits for arrays; make it after `run` has returned"
    )]
    ArrayInUse,
    /// The host has not enough memory.
    #[error("not enough host memory for {what} ({bytes} bytes); use smaller arrays, or fewer transactions at once")]
    HostMemory {
        /// What for.
        what: &'static str,
        /// How many bytes.
        bytes: u64,
    },
    /// The system gives no thread with a stack that is large enough for the variables of a transaction's function.
    #[error(
        "the system gives no thread with {stack} bytes of stack ({why}), which the local arrays of a transaction need; use smaller \
         ones, or allow the process more memory or threads"
    )]
    NoThread {
        /// Bytes of stack.
        stack: u64,
        /// The system's words.
        why: String,
    },
    /// A transaction's outcome was asked for with another result than its function has.
    #[error(
        "transaction {transaction} calls `{procedure}`, whose result is {result}, and was asked for {asked}; ask for its own type"
    )]
    ResultType {
        /// The transaction of the call.
        transaction: usize,
        /// The function called.
        procedure: &'static str,
        /// The scalars of its result.
        result: String,
        /// The type that was asked for.
        asked: String,
    },

    // --- devices -----------------------------------------------------------------------------------------------------
    /// The device or its driver failed, or is not there.
    #[error(transparent)]
    Gpu(GpuError),
}

impl From<GpuError> for Error {
    fn from(error: GpuError) -> Error {
        match error {
            // The host's memory is the host's, whatever it was for.
            GpuError::HostMemory { what, bytes } => Error::HostMemory { what, bytes },
            other => Error::Gpu(other),
        }
    }
}

impl From<NoMemory> for Error {
    fn from(short: NoMemory) -> Error {
        Error::HostMemory { what: short.what, bytes: short.bytes }
    }
}

/// For what takes names and values alike: values cannot be wrong.
impl From<Infallible> for Error {
    fn from(never: Infallible) -> Error {
        match never {}
    }
}

/// The range of an option, for people.
fn bounds(least: u64, most: u64) -> String {
    if most == u64::MAX { format!("from {least} on") } else { format!("from {least} to {most}") }
}
