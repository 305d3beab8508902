//! From the intermediate form that the macro left, and what rustc resolved, to a procedure: once for each procedure, at run time.
//!
//! ```text
//! bytes ─load─▶ Program ─resolve─▶ every type ─expand─▶ flat form ─analysis─▶ Facts ─emit─▶ CUDA text
//! ```
//!
//! rustc has checked the user's program already, on the host version for the CPU. What is found here is what only the device
//! minds, and what the macro could not see.

mod error;
mod expand;
mod load;
mod locals;
mod resolve;
mod shape;
mod size;
#[cfg(test)]
mod tests;
mod verify;

pub use error::{Blame, ProcedureError};
pub use load::Program;
pub(crate) use resolve::{Resolved, path_scalar, short_name};

use crate::analysis::{self, Facts};
use crate::emit;
use crate::ir::{Form, Length, LocationDecl, Overflow, ParamDecl, ParamRole, Transaction};
use crate::spec::{Location, Param, ProcedureSpec, Role, Source};

/// How many loop iterations one attempt may make, where the attribute does not say.
pub const MAX_ITERATIONS: u32 = 1_000_000;

/// Compiles a procedure. The result lives for ever, so this should run once for each procedure.
///
/// # Errors
/// The first thing in it that cannot run on a device.
pub fn procedure(source: &'static Source) -> Result<ProcedureSpec, ProcedureError> {
    let program = Program::load(source)?;
    let (tx, facts, cuda) = flat(&program)?;
    load::place_locations(source);
    Ok(leak(&tx, &facts, cuda, source.module, source.checked))
}

/// Finds the types of a program, once it is known to be whole.
pub(crate) fn prepare(program: &Program) -> Result<Resolved<'_>, ProcedureError> {
    verify::verify(program)?;
    size::check(program)?;
    resolve::resolve(program)
}

/// Compiles a program to its flat form, its facts and its CUDA text: for tests and tools.
///
/// # Errors
/// The first thing in it that cannot run on a device.
pub fn flat(program: &Program) -> Result<(Transaction, Facts, String), ProcedureError> {
    let name = &program.tx.name;
    let named = |error: ProcedureError| ProcedureError { procedure: name.clone(), ..error };
    verify::verify(program).map_err(named)?;
    if program.tx.form != Form::Transaction {
        return Err(ProcedureError::at(&program.tx, "only a `#[gpu_transaction]` is a procedure"));
    }
    size::check(program)?;
    let resolved = resolve::resolve(program).map_err(named)?;
    locals::check(&resolved)?;
    let tx = expand::expand(&resolved).map_err(named)?;
    let facts = analysis::analyse(&tx).map_err(|problem| ProcedureError {
        procedure: name.clone(),
        file: tx.file_of(problem.at).to_owned(),
        line: tx.place(problem.at).line,
        message: problem.message,
        rule: Some(problem.what),
        at: Some(Blame::Statement(problem.at)),
    })?;
    let cuda = emit::emit_cuda(&tx, &facts);
    Ok((tx, facts, cuda))
}

/// The kind of a flat transaction as the runtime keeps it. `debug` is what `cfg!(debug_assertions)` is in the user's
/// crate: it decides about overflow where the attribute does not.
#[must_use]
pub fn leak(tx: &Transaction, facts: &Facts, cuda: String, module: &'static str, debug: bool) -> ProcedureSpec {
    ProcedureSpec {
        name: tx.name.clone().leak(),
        module,
        file: tx.file.clone().leak(),
        line: tx.at.line,
        params: tx.params.iter().map(|param| leak_param(tx, param)).collect::<Vec<_>>().leak(),
        result: tx.results().leak(),
        cuda: cuda.leak(),
        facts: facts.leak(),
        locations: tx.locations.iter().map(|location| leak_location(tx, location)).collect::<Vec<_>>().leak(),
        lines: tx.lines.clone().leak(),
        checked: match tx.options.overflow {
            Overflow::AsBuilt => debug,
            Overflow::Check => true,
            Overflow::Wrap => false,
        },
        max_iterations: tx.options.max_iterations.unwrap_or(MAX_ITERATIONS),
        variables: tx.variable_bytes(),
    }
}

fn leak_param(tx: &Transaction, param: &ParamDecl) -> Param {
    let scalar = tx.scalar(param.ty);
    let role = match param.role {
        ParamRole::Array => match param.part {
            Some(Length::Known(part)) => Role::Partition(scalar, part),
            _ => Role::Array(scalar),
        },
        ParamRole::Value | ParamRole::Place => Role::Value(scalar),
    };
    Param { name: param.name.clone().leak(), role }
}

fn leak_location(tx: &Transaction, location: &LocationDecl) -> Location {
    let file = location.file.as_ref().unwrap_or(&tx.file);
    Location {
        file: file.clone().leak(),
        line: location.at.line,
        column: location.at.column,
        what: location.what,
        text: location.text.clone().leak(),
    }
}
