//! Reads a whole source file as programs, without rustc: for tools that generate programs and run them at once.
//!
//! Types, constants and functions are found by their names in the same file. Nothing here checks that the file is valid Rust:
//! whatever the front end leaves to rustc is assumed to be correct.

mod constant;
mod declare;
mod error;
mod integer;

use std::collections::HashMap;

use crate::compile::Program;
use crate::ir::open::Form;
use crate::spec::{Enum, Scalar, Traits, Type};

use declare::Module;
pub use error::ModuleError;

/// The type of the standard library that functions name without declaring it, as when they compare.
const ORDERING: Enum = Enum {
    name: "Ordering",
    module: "core::cmp",
    repr: Scalar::I8,
    variants: &[("Less", -1), ("Equal", 0), ("Greater", 1)],
    traits: Traits::NONE,
};

/// Returns the transactions of a source file in order, with everything that they name. `debug` is the value of
/// `cfg!(debug_assertions)`.
///
/// # Errors
/// Fails if the text is not Rust, the front end rejects a function, or the file does not declare a name.
pub fn programs(text: &str, file: &str, debug: bool) -> Result<Vec<Program>, ModuleError> {
    let parsed = syn::parse_file(text).map_err(|error| ModuleError(format!("no Rust: {error}")))?;
    let mut module = Module {
        file,
        debug,
        types: HashMap::from([(ORDERING.name.to_owned(), Type::Enum(&ORDERING))]),
        constants: HashMap::new(),
        functions: Vec::new(),
        named: HashMap::new(),
    };
    for item in &parsed.items {
        module.declare(item)?;
    }
    let transactions = module.functions.iter().filter(|(tx, _)| tx.form == Form::Transaction);
    let mut made = HashMap::new();
    transactions.map(|(tx, external)| module.program(tx, external, 0, &mut made)).collect()
}
