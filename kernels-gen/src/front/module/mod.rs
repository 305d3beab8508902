//! A whole source file as programs, without rustc: for tools that make programs up and run them at once.
//!
//! Types, constants and functions are found by their names in the same file. Whether it is Rust at all, nobody checks here:
//! what the front end components to rustc is taken at its word.

mod constant;
mod declare;
mod error;
mod integer;

use std::collections::HashMap;

use crate::compile::Program;
use crate::ir::open::Form;

use declare::Module;
pub use error::ModuleError;

/// The transactions of a source file in order, with all that they name. `debug` is what `cfg!(debug_assertions)` would be.
///
/// # Errors
/// The text is no Rust, the front end refuses a function, or a name is not declared in the file.
pub fn programs(text: &str, file: &str, debug: bool) -> Result<Vec<Program>, ModuleError> {
    let parsed = syn::parse_file(text).map_err(|error| ModuleError(format!("no Rust: {error}")))?;
    let mut module = Module {
        file,
        debug,
        types: HashMap::new(),
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
