//! Errors outside of transactions. An error inside a transaction is an outcome in the report.

mod file;
mod foreign;
mod gpu;

use std::convert::Infallible;
use std::panic::Location;
use std::path::PathBuf;

use kernels_gen::compile::ProcedureError;
use kernels_gen::meant;

pub use file::FileProblem;
pub use foreign::ForeignProblem;
pub use gpu::GpuError;

use crate::memory::NoMemory;

/// Why something could not be created or run.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    // --- names and options -------------------------------------------------------------------------------------------
    /// No device has that name.
    #[error("unknown device `{name}`; use {known}")]
    UnknownDevice {
        /// The requested name.
        name: String,
        /// The accepted forms.
        known: &'static str,
    },
    /// No engine has that name.
    #[error("unknown engine `{name}`{}; use one of: {known}", meant(name, &known.split(", ").collect::<Vec<_>>()))]
    UnknownEngine {
        /// The requested name.
        name: String,
        /// The names of all engines.
        known: String,
    },
    /// The text of an engine with parameters is malformed.
    #[error("`{text}` does not name an engine: {problem}; write `name` or `name(parameter=value, parameter=value)`")]
    EngineSyntax {
        /// The requested text.
        text: String,
        /// The problem.
        problem: &'static str,
    },
    /// An engine has no parameter of that name.
    #[error("engine `{engine}` has no parameter `{name}`; {known}")]
    UnknownParameter {
        /// The engine.
        engine: &'static str,
        /// The requested name.
        name: String,
        /// The engine's parameters, each with default, bounds and meaning.
        known: String,
    },
    /// A parameter of an engine cannot have that value.
    #[error("`{name}` of engine `{engine}` cannot be `{value}`; use a whole number from {least} to {most}")]
    ParameterValue {
        /// The engine.
        engine: &'static str,
        /// The parameter.
        name: &'static str,
        /// The requested value.
        value: String,
        /// The smallest value.
        least: u64,
        /// The largest value.
        most: u64,
    },
    /// A run was asked for the outcome of push order, and for an engine.
    #[error(
        "engine `{engine}` does not keep the order in which transactions were pushed; leave the engine to the plan, which is the default, \
         or choose `in-order`"
    )]
    OrderUnderEngine {
        /// The engine.
        engine: String,
    },
    /// A plan never chooses an engine.
    #[error("a plan has no method `{name}`{}; use some of: {known}", meant(name, &known.split(", ").collect::<Vec<_>>()))]
    PlanMethod {
        /// The engine.
        name: String,
        /// The methods of a plan.
        known: String,
    },
    /// No method of a plan can run what all others leave.
    #[error("a plan of the methods `{methods}` leaves transactions that none of them can run; add {missing}")]
    PlanWithoutEnd {
        /// The methods.
        methods: String,
        /// Those that could, with what there is to say of them.
        missing: String,
    },
    /// A file does not hold a tuning, or cannot be read or written.
    #[error(
        "{}: {problem}; `Tuning::save` writes such a file after a run with `Selection::auto()`",
        path.display()
    )]
    TuningFile {
        /// The file.
        path: PathBuf,
        /// The problem.
        problem: String,
    },
    /// A file does not hold a plan, or cannot be read or written.
    #[error("{}: {problem}; `Plan::save` writes such a file, with the plan of a report", path.display())]
    PlanFile {
        /// The file.
        path: PathBuf,
        /// The problem.
        problem: String,
    },
    /// An option of a batch, or of a device, cannot have that value.
    #[error("`{option}` cannot be {value}; use a whole number {}", bounds(*least, *most))]
    OptionValue {
        /// The option.
        option: &'static str,
        /// The requested value.
        value: u64,
        /// The smallest value.
        least: u64,
        /// The largest value.
        most: u64,
    },
    /// A lock word covers a number of elements that is not a power of two.
    #[error("a lock word cannot cover {coverage} elements; use a power of two up to {max}")]
    Coverage {
        /// The requested coverage.
        coverage: usize,
        /// The most elements that a lock word can cover.
        max: usize,
    },

    /// The elements of a `Partitioned` do not fill whole partitions.
    #[error(
        "the length {elements} is not a multiple of the partition size {part}; remove or add elements, for at most 2^32 - 1 partitions"
    )]
    Parts {
        /// The number of elements.
        elements: usize,
        /// The number of elements of a partition.
        part: usize,
    },
    /// A partition that a `Partitioned` does not have.
    #[error("there is no partition {number}: the array has {parts}, counted from 0")]
    NoPart {
        /// The requested number.
        number: u32,
        /// The number of partitions.
        parts: u32,
    },

    // --- procedures -------------------------------------------------------------------------------------------------------
    /// A transaction's function does not compile for devices, for a reason that is known only when the program runs, because the
    /// types, constants and functions that it names are defined elsewhere.
    #[error(transparent)]
    Procedure(#[from] ProcedureError),

    // --- batches and arrays ------------------------------------------------------------------------------------------
    /// A call names an array of another device than the batch's.
    #[error(
        "transaction {transaction} calls `{procedure}` with an array of another device for `{parameter}`; \
         create the array with the device of the batch ({device})"
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
    /// A call passes a partition for a `&Shared` parameter.
    #[error(
        "transaction {transaction} calls `{procedure}` with a partition for `{parameter}`, which is a `&Shared`, the whole \
         array; write `&Partition<T, N>` in `{procedure}`, or create the array with `Device::shared`"
    )]
    NotShared {
        /// The transaction of the call.
        transaction: usize,
        /// The function called.
        procedure: &'static str,
        /// Its parameter.
        parameter: &'static str,
    },
    /// A call passes different partitions for its `Partition` parameters.
    #[error(
        "transaction {transaction} calls `{procedure}` with partition {} for `{}` and partition {} for `{}`; pass \
         the partition of the same number for each array", parts[0], parameters[0], parts[1], parameters[1]
    )]
    PartsDiffer {
        /// The transaction of the call.
        transaction: usize,
        /// The function called.
        procedure: &'static str,
        /// The first parameter, and the first that differs.
        parameters: [&'static str; 2],
        /// Their partitions.
        parts: [u32; 2],
    },
    /// The columns of several calls have different lengths.
    #[error(
        "the columns of `{procedure}` differ in length: {} for `{}`, {} for `{}`; pass one value of each parameter for each \
         transaction", lengths[0], columns[0], lengths[1], columns[1]
    )]
    ColumnLengths {
        /// The function called.
        procedure: &'static str,
        /// The first column, and the first whose length differs.
        columns: [&'static str; 2],
        /// Their lengths.
        lengths: [usize; 2],
    },
    /// A column is on another device than the batch's.
    #[error(
        "`{procedure}` is called with a column of another device for `{parameter}`; make the column with the device of the batch ({device})"
    )]
    ForeignColumn {
        /// The function called.
        procedure: &'static str,
        /// Its parameter.
        parameter: &'static str,
        /// The batch's device.
        device: String,
    },
    /// A range of elements is not within the array, or the column.
    #[error("{at}: the range {first}..{end} is not within the {len} elements; use a range within 0..{len}")]
    Range {
        /// Its first element.
        first: usize,
        /// The index after its last one.
        end: usize,
        /// The number of elements of the array.
        len: usize,
        /// The call.
        at: &'static Location<'static>,
    },
    /// An array cannot be copied to another one.
    #[error(
        "{at}: an array of {} elements cannot be copied to one of {}{}; use arrays of one length and one device",
        lengths[1], lengths[0], if *is_foreign { " on another device" } else { "" }
    )]
    CopyFrom {
        /// The number of elements of the array to be changed, and of the other one.
        lengths: [usize; 2],
        /// Whether they have different devices.
        is_foreign: bool,
        /// The call.
        at: &'static Location<'static>,
    },
    /// A file does not hold the elements of a shared array, or cannot be read or written.
    #[error("{}: {problem}", path.display())]
    ArrayFile {
        /// The file.
        path: PathBuf,
        /// The problem.
        problem: FileProblem,
    },
    /// A limit of one batch was exceeded.
    #[error("transaction {transaction} needs more than {max} {what} in one batch; split the batch")]
    BatchFull {
        /// The first transaction beyond the limit.
        transaction: usize,
        /// The limited quantity.
        what: &'static str,
        /// The limit.
        max: usize,
    },
    /// A call that would have to wait for a shared array, from inside of a run: from a progress function, or from a function that a
    /// transaction runs. It might wait forever.
    #[error(
        "a run is using the shared array, and this call comes from inside a run (from a progress function, for example), which \
         must not wait for arrays; call it after `run` has returned"
    )]
    ArrayInUse,
    /// An array has no memory on a GPU.
    #[error(
        "the array lives on {device}, so it has no address on a GPU; ask `Device::is_gpu` before, and use `read_range` there"
    )]
    NoDeviceMemory {
        /// The device of the array.
        device: String,
    },
    /// Device memory or a context of other code cannot be used.
    #[error("{at}: {problem}")]
    ForeignMemory {
        /// The problem.
        problem: ForeignProblem,
        /// The call.
        at: &'static Location<'static>,
    },
    /// A call that would have to wait for a run, from inside of a run. It might wait forever.
    #[error(
        "this call would wait for a run, and comes from inside a run (from a progress function, for example), which must not wait for \
         another; ask with `try_wait` or `try_submit`, or call it after `run` has returned"
    )]
    WaitInside,
    /// The user's code panicked in a run in the background: a progress function, for example.
    #[error("a run in the background panicked: {message}; its transactions may have had their effects")]
    RunPanicked {
        /// The message of the panic.
        message: String,
    },
    /// A transaction was submitted to a pipeline that was closed.
    #[error("the pipeline is closed and takes no transaction; submit before `close`")]
    PipelineClosed,
    /// The host has not enough memory.
    #[error("not enough host memory for {what} ({bytes} bytes); use smaller arrays, or fewer transactions at once")]
    HostMemory {
        /// The purpose of the memory.
        what: &'static str,
        /// Requested bytes.
        bytes: u64,
    },
    /// The system cannot create a thread with a stack that is large enough for the variables of a transaction's function.
    #[error(
        "the system cannot create a thread with {stack} bytes of stack ({why}), which the local arrays of a transaction need; use smaller \
         arrays, or allow the process more memory or threads"
    )]
    NoThread {
        /// Bytes of stack.
        stack: u64,
        /// The system's message.
        why: String,
    },
    /// A transaction's outcome was requested with another result type than its function has.
    #[error(
        "transaction {transaction} calls `{procedure}`, whose result is {result}, but its outcome was asked for as {asked}; ask for the type of the result"
    )]
    ResultType {
        /// The transaction of the call.
        transaction: usize,
        /// The function called.
        procedure: &'static str,
        /// The scalars of its result.
        result: String,
        /// The requested type.
        asked: String,
    },

    // --- devices -----------------------------------------------------------------------------------------------------
    /// The device or its driver failed, or is not there.
    #[error(transparent)]
    Gpu(GpuError),
}

#[cfg(feature = "rayon")]
impl Error {
    /// Returns the error of a transaction that comes that many later in its batch.
    pub(crate) fn later(mut self, by: usize) -> Error {
        match &mut self {
            Error::ForeignArray { transaction, .. }
            | Error::NotShared { transaction, .. }
            | Error::PartsDiffer { transaction, .. }
            | Error::BatchFull { transaction, .. } => *transaction += by,
            _ => {}
        }
        self
    }
}

impl From<GpuError> for Error {
    fn from(error: GpuError) -> Error {
        match error {
            // Lack of host memory is the same error for users, whatever the memory was for.
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

/// For parameters that take names and values alike: values cannot be wrong.
impl From<Infallible> for Error {
    fn from(never: Infallible) -> Error {
        match never {}
    }
}

/// Formats the range of an option.
fn bounds(least: u64, most: u64) -> String {
    if most == u64::MAX { format!("from {least} on") } else { format!("from {least} to {most}") }
}
