//! The memory of a transaction's local variables, including those of everything that it calls.

use super::error::ProcedureError;
use super::program::Program;
use crate::Trouble;
use crate::infer::Space;
use crate::ir::VarId;
use crate::ir::open::Function;
use crate::locals::{self, MOST_BYTES};

/// The memory of the variables of a function and of everything that it calls.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Taken<'p> {
    /// Bytes on the stack of a CPU thread: its own variables, and those of the call that takes the most.
    stack: u64,
    /// Bytes of arrays in the memory of a GPU thread: its own, and those of every call, because each call is replaced by the
    /// body of its function.
    arrays: u64,
    /// The variable that takes the most, the function that declares it, and its bytes.
    largest: Option<(&'p Function, VarId, u64)>,
}

/// Adds up the memory of a function whose types take `spaces`, and which calls functions that take `called`.
pub(super) fn taken<'p>(
    tx: &'p Function,
    spaces: &[Space],
    called: impl Iterator<Item = Taken<'p>> + Clone,
) -> Taken<'p> {
    let own = locals::of_function(tx, |ty| spaces[ty.0 as usize]);
    let largest = called.clone().filter_map(|function| function.largest);
    let largest = largest.chain(own.largest.map(|(var, bytes)| (tx, var, bytes)));
    Taken {
        stack: own.bytes.saturating_add(called.clone().map(|function| function.stack).max().unwrap_or(0)),
        arrays: called.fold(own.arrays, |sum, function| sum.saturating_add(function.arrays)),
        // Of two variables of the same size, the one that the user named is chosen.
        largest: largest.max_by_key(|(of, var, bytes)| (*bytes, of.vars[var.0 as usize].name.is_some())),
    }
}

/// Rejects a transaction whose variables take too much memory, and names the largest of them.
pub(super) fn check(program: &Program, taken: Taken<'_>) -> Result<(), ProcedureError> {
    let Taken { stack, arrays, largest } = taken;
    let (bytes, tx) = (stack.max(arrays), &program.tx);
    let Some((of, var, most)) = largest.filter(|_| bytes > MOST_BYTES) else { return Ok(()) };
    let at = locals::declarations(of).get(&var).copied();
    let message = locals::too_large(bytes, (of, var, most), !program.functions.is_empty());
    let line = at.map_or(of.at.line, |at| of.position(at).line);
    Err(ProcedureError { file: of.file.clone(), line, ..ProcedureError::rule(tx, Trouble::LocalMemory, message) })
}
