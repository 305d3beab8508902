//! From a [`Source`] to owned data.

use super::error::KindError;
use crate::ir::Transaction;
use crate::spec::{Constant, Source, Type};

/// Calls nest at most so deep. rustc refuses recursion, because a source would contain itself.
const DEEPEST: usize = 64;

/// A transaction makes at most so many calls, calls of calls included: each is compiled into its place.
const MOST_CALLS: usize = 4096;

/// One annotated function, with all that it names.
#[derive(Debug, Clone, PartialEq)]
pub struct Program {
    /// Its intermediate form, in the open stage.
    pub tx: Transaction,
    /// The types that it names.
    pub types: Vec<Type>,
    /// The constants that it names.
    pub constants: Vec<Constant>,
    /// The functions that it calls, one entry for each call, in source order.
    pub functions: Vec<Program>,
}

impl Program {
    /// A function that names nothing of the user's program.
    #[must_use]
    pub fn alone(tx: Transaction) -> Program {
        Program { tx, types: Vec::new(), constants: Vec::new(), functions: Vec::new() }
    }

    /// Decodes a source and all that it calls.
    ///
    /// # Errors
    /// Bytes that this version did not write, or calls without an end.
    pub fn load(source: &'static Source) -> Result<Program, KindError> {
        load(source, 0, &mut 0)
    }
}

fn load(source: &'static Source, depth: usize, calls: &mut usize) -> Result<Program, KindError> {
    let tx: Transaction = postcard::from_bytes(source.ir).map_err(|error| KindError {
        kind: String::new(),
        file: source.module.to_owned(),
        line: 0,
        message: format!("its intermediate form cannot be read ({error}); build the program again"),
        footprint: None,
    })?;
    let constants = source.constants.iter().map(|constant| constant()).collect();
    let mut program = Program { tx, types: source.types.to_vec(), constants, functions: Vec::new() };
    *calls += source.functions.len();
    if depth >= DEEPEST {
        return Err(KindError::at(&program, format!("calls nest more than {DEEPEST} deep; use a loop")));
    }
    if *calls > MOST_CALLS {
        let message = format!(
            "it makes more than {MOST_CALLS} calls, those in called functions included, and each is compiled into its place; \
             use a loop"
        );
        return Err(KindError::at(&program, message));
    }
    for function in source.functions {
        program.functions.push(load(function, depth + 1, calls)?);
    }
    Ok(program)
}
