//! From the intermediate form of the macro and the symbols that rustc resolved to a procedure: once per procedure, at run time.
//!
//! ```text
//! bytes ─load─▶ Program ─resolve─▶ every type ─expand─▶ flat form ─analysis─▶ facts ─emit─▶ CUDA text
//! ```
//!
//! rustc has checked the user's program already, on the host version for the CPU. Compilation finds the remaining errors: those
//! that concern only the device, and those that the macro could not see.

mod alike;
mod built_in;
mod error;
mod expand;
mod leak;
mod load;
mod locals;
mod program;
mod resolve;
mod shape;
mod size;
#[cfg(test)]
mod tests;
mod verify;

#[cfg(feature = "front")]
pub(crate) use built_in::{lower, nothing};
pub use error::{Blame, ProcedureError};
pub use leak::{MAX_ITERATIONS, leak};
pub use program::Program;
pub use resolve::{Resolved, path_scalar, short_name};

use crate::analysis::{self, OwnedFacts};
use crate::emit;
use crate::ir::flat::Transaction;
use crate::ir::open::Form;
use crate::spec::{ProcedureSpec, Source};

/// Compiles a procedure. The result is never freed, so this should run once for each procedure.
///
/// # Errors
/// Returns the first error that prevents it from running on a device.
pub fn procedure(source: &'static Source) -> Result<ProcedureSpec, ProcedureError> {
    let mut program = Program::load(source)?;
    // The analysis has to know whether an overflow is a fault.
    program.tx.options.overflow = program.tx.options.overflow.in_build(source.checked);
    let (tx, facts, cuda) = flat(&program)?;
    load::place_locations(source);
    Ok(leak(&tx, &facts, cuda, source.module))
}

/// Finds the types of a program, after checking that it is complete: for the interpreter of the tests.
///
/// # Errors
/// Returns the first error that prevents it from running.
pub fn prepare(program: &Program) -> Result<Resolved<'_>, ProcedureError> {
    verify::verify(program)?;
    size::check(program)?;
    resolve::resolve(program)
}

/// Compiles a program to its flat form, its facts and its CUDA text: for tests and tools.
///
/// # Errors
/// Returns the first error that prevents it from running on a device.
pub fn flat(program: &Program) -> Result<(Transaction, OwnedFacts, String), ProcedureError> {
    let name = &program.tx.name;
    let named = |error: ProcedureError| ProcedureError { procedure: name.clone(), ..error };
    verify::verify(program).map_err(named)?;
    if program.tx.form != Form::Transaction {
        return Err(ProcedureError::at(&program.tx, "only a `#[gpu_transaction]` is a procedure"));
    }
    size::check(program)?;
    let resolved = resolve::resolve(program).map_err(named)?;
    locals::check(program, resolved.taken)?;
    let tx = expand::expand(&resolved).map_err(named)?;
    let facts = analysis::analyse(&tx).map_err(|problem| ProcedureError {
        procedure: name.clone(),
        file: tx.file_of(problem.at).to_owned(),
        line: tx.position(problem.at).line,
        message: problem.message,
        rule: Some(problem.what),
        at: Some(Blame::Statement(problem.at)),
    })?;
    let cuda = emit::emit_cuda(&tx, &facts);
    Ok((tx, facts, cuda))
}
